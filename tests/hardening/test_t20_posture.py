"""T20, B26 to B32: what the server answers to strangers, other sites and curious visitors, and what it writes down."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.hardening.campaign import report
from tests.hardening.visitors import ROOT, Served, Visitor

SECRETS = [f"Secret{word}Of{number}Nobody" for number in range(5) for word in ("Title", "Text", "Tag", "Author")]
TRAVERSALS = [
    "/../../../../etc/passwd",
    "/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "/static/..%2f..%2f..%2f..%2fetc%2fpasswd",
    "/media/../../../../etc/passwd",
    "/component/x/..%5c..%5c..%5cetc%5cpasswd",
    "/_stcore/bidi-components/x/../../../../../etc/passwd",
]


def socket_status(server: Served, origin: str | None, host: str | None = None) -> int:
    """What a WebSocket handshake is answered with; 101 where it is let in."""
    headers = {} if host is None else {"Host": host}
    try:
        with connect(
            server.url.replace("http", "ws") + "/_stcore/stream",
            subprotocols=["streamlit"], origin=origin, additional_headers=headers, ping_interval=None, open_timeout=30,
        ):  # fmt: skip
            return 101
    except InvalidStatus as refused:
        return int(refused.response.status_code)


def test_t20_b27_only_our_own_pages_may_open_a_socket(served: Served) -> None:
    assert socket_status(served, served.url) == 101
    refused = [
        socket_status(served, origin)
        for origin in ("http://evil.example", "https://127.0.0.1.evil.example", "null", "file://", "http://127.0.0.1:1")
    ]
    report("T20 origins", sum(status == 403 for status in refused), len(refused), str(refused), score="faults")
    assert refused == [403] * len(refused)


def test_t20_b27_an_upload_needs_the_token_of_its_visitor(served: Served) -> None:
    with Visitor(served, sample="larkspur") as visitor:
        assert visitor.run("", seconds=120).ok
        path = f"/_stcore/upload_file/{visitor.session_id}/any"
        statuses = [visitor.put(path, "x.csv", b"a,b", token=token) for token in ("", "2|deadbeef|0|0")]
    report("T20 uploads", sum(status == 403 for status in statuses), 2, str(statuses), score="faults")
    assert statuses == [403, 403]


def test_t20_no_address_leads_out_of_the_served_files(served: Served) -> None:
    answers = [served.get(path)[:2] for path in TRAVERSALS]
    safe = [status in (400, 404) for status, _ in answers]
    report("T20 traversals", sum(safe), len(safe), str([status for status, _ in answers]), score="faults")
    assert not any(b"root:" in body for _, body in answers)
    assert all(safe), answers


def test_t20_b27_other_host_names_are_not_answered(served: Served) -> None:
    names = ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "", "evil.example:80", "[::2]"]
    statuses = [served.get("/", Host=name)[0] for name in names]
    report("T20 hosts", sum(status == 400 for status in statuses), len(names), str(statuses), score="faults")
    assert statuses == [400] * len(names)
    assert [served.get("/", Host=name)[0] for name in ("localhost", f"127.0.0.1:{served.port}")] == [200, 200]


def test_t20_it_listens_on_this_machine_alone_and_calls_nobody(served: Served) -> None:
    connections = served.process.net_connections(kind="inet")
    listening = {found.laddr.ip for found in connections if found.status == psutil.CONN_LISTEN}
    elsewhere = [found for found in connections if found.raddr and not found.raddr.ip.startswith("127.")]
    report("T20 addresses", 1, 1, f"listens on {listening}, {len(elsewhere)} connections elsewhere")
    assert listening == {"127.0.0.1"}
    assert not elsewhere


def test_b28_t20_protective_headers_are_on_every_answer(served: Served) -> None:
    for path in ("/", "/Network", "/health", "/_stcore/health", "/_stcore/metrics", "/media/none", "/nothing/here"):
        _, _, headers = served.get(path)
        assert headers.get("x-content-type-options") == "nosniff", path
        assert headers.get("x-frame-options") == "SAMEORIGIN", path
        policy = headers.get("content-security-policy", "")
        assert "frame-ancestors 'self'" in policy, path
        assert "default-src 'self'" in policy, path
        assert "http:" not in policy
        assert headers.get("referrer-policy") == "no-referrer"


def test_t20_b28_metrics_and_details_are_for_the_operator(served: Served) -> None:
    assert served.get("/_stcore/metrics")[0] == 404
    assert served.get("/_stcore/metrics/")[0] == 404
    assert served.get("/_stcore/script-health-check")[0] == 404
    assert "memory" in served.health()
    behind_proxy = json.loads(served.get("/health", **{"X-Forwarded-For": "192.0.2.7"})[1])
    assert behind_proxy == {"status": "ok"}


def test_b32_the_interface_for_programs_stays_closed(served: Served) -> None:
    headers = {"Content-Type": "application/json", "Origin": served.url}
    statuses = [
        served.ask("POST", f"/_stcore/agent/{name}", body=b"{}", headers=headers)[0] for name in ("interact", "mcp")
    ]
    assert all(400 <= status < 500 for status in statuses), statuses


def test_b31_nothing_is_reported_to_anybody() -> None:
    settings = (ROOT / ".streamlit" / "config.toml").read_text("utf-8")
    for line in (
        'address = "127.0.0.1"', "enableCORS = true", "enableXsrfProtection = true", 'fileWatcherType = "none"',
        "enableStaticServing = false", 'showErrorDetails = "none"', 'toolbarMode = "minimal"',
        "disableDataExport = true", "gatherUsageStats = false", 'allowedHosts = ["localhost", "127.0.0.1"]',
    ):  # fmt: skip
        assert line in settings, line


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The dashboard with two pages that fail, each with a secret in its error."""
    folder = tmp_path_factory.mktemp("broken")
    for name in ("app.py", "pages", ".streamlit"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    for name in ("cnrag_core", "sample_data"):
        os.symlink(ROOT / name, folder / name)
    fails = "raise KeyError('secret-token-123 /srv/data/x.db')\n"
    (folder / "pages" / "98_Bare.py").write_text(fails, "utf-8")
    caught = "from pages.shared.session import shown_errors\nwith shown_errors():\n    " + fails
    (folder / "pages" / "99_Caught.py").write_text(caught, "utf-8")
    server = Served(folder, script=folder / "pages" / "shared" / "serving.py")
    yield server
    server.stop()


@pytest.mark.parametrize("page", ["Bare", "Caught"])
def test_t20_b29_the_error_of_a_page_shows_a_reference_and_no_secret(broken: Served, page: str) -> None:
    with Visitor(broken, sample="larkspur") as visitor:
        visitor.keep = True
        assert visitor.run("", seconds=120).ok
        run = visitor.run(page, seconds=60)
        received = b"".join(visitor.received)
    shown = " ".join(run.errors)
    reference = re.search(r"logged under reference ([0-9a-f]{8})", shown)
    assert reference, (run, shown)
    assert b"secret-token" not in received
    assert b"/srv/data" not in received
    assert "secret-token" not in broken.all_logs()
    [line] = [line for line in broken.log.read_text("utf-8").splitlines() if reference[1] in line]
    assert json.loads(line)["error"] == "KeyError"
    report(f"T20 error of {page.lower()} page", 1, 1, "shows a reference; the secret is neither shown nor logged")


def test_t20_b30_the_log_quotes_no_document_no_question_and_no_file_name(tmp_path: Path) -> None:
    rows = [
        {"id": f"{title}-id", "title": title, "text": f"{text} {tag} sea", "author": author}
        for title, text, tag, author in zip(*[iter(SECRETS)] * 4, strict=True)
    ]
    data = "\n".join(map(json.dumps, rows)).encode()
    question, name = "SecretQuestionOfNobody", "SecretFileOfNobody"
    server = Served(tmp_path)
    try:
        with Visitor(server, sample="larkspur") as visitor:
            assert visitor.run("", seconds=120).ok
            visitor.set("source", "My own documents")
            for broken_data in (data + b"\n{", b"\xff\xfe\x00" + data, b"PK\x03\x04" + data, b"[" * 10_000):
                visitor.upload("corpus_file", f"{name}.jsonl", broken_data)
            assert visitor.upload("corpus_file", f"{name}.jsonl", data).ok
            [button] = [key for key in visitor.elements if key.startswith("build_")]
            visitor.press(button)
            assert visitor.wait_for("^5 documents ·", 120), visitor.texts
            for page in ("Search", "Traversal", "Network", "Evaluate"):
                assert visitor.run(page, seconds=120, q=f"{question} {SECRETS[0]}").ok
    finally:
        server.stop()
    logs = server.all_logs()
    planted = [*SECRETS, question, name]
    found = [secret for secret in planted if secret in logs]
    events = [json.loads(line) for line in server.log.read_text("utf-8").splitlines()]
    n_quiet = len(planted) - len(found)
    report("T20 log", n_quiet, len(planted), f"{len(events)} events, {len(found)} planted words in them")
    assert not found
    assert {"server started", "server stopped", "job ended"} <= {event["event"] for event in events}


def test_t20_python_complains_of_nothing_from_start_to_stop(tmp_path: Path) -> None:
    server = Served(tmp_path, python=("-X", "dev", "-W", "error"))
    with Visitor(server, sample="larkspur") as visitor:
        for page in ("", "Search"):
            run = visitor.run(page, seconds=180, q="export")
            assert run.ok, (run, server.all_logs())
            assert not run.errors, (run, server.all_logs())
    code = server.stop()
    said = server.all_logs()
    assert code in (0, -signal.SIGTERM), said
    for word in ("Exception ignored", "ResourceWarning", "py.warnings", "Traceback"):
        assert word not in said, said

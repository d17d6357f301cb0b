"""B28: the nginx of the README before the server: a password, a socket through it, uploads, and what it hides."""

from __future__ import annotations

import base64
import http.client
import os
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.hardening.campaign import report
from tests.hardening.visitors import ROOT, Served, until

NAME = "cnrag.example.org"
PASSWORD = "correct horse"


@dataclass
class Proxy:
    """nginx on a port of this machine."""

    port: int
    context: ssl.SSLContext

    def ask(
        self, path: str, *, method: str = "GET", body: bytes = b"", password: str | None = PASSWORD, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.context, timeout=60)
        try:
            given = {"Host": f"{NAME}:{self.port}", **({} if password is None else basic(password)), **headers}
            connection.request(method, path, body=body or None, headers=given)
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    @contextmanager
    def page(self, origin: str, password: str | None = PASSWORD) -> Iterator[str]:
        """A page that has come to the end of its first run; its session."""
        headers = {} if password is None else basic(password)
        with (
            socket.create_connection(("127.0.0.1", self.port)) as raw,
            connect(
                f"wss://{NAME}:{self.port}/_stcore/stream", sock=raw, ssl=self.context, server_hostname=NAME,
                subprotocols=["streamlit"], origin=origin, additional_headers=headers, max_size=None,
            ) as page,
        ):  # fmt: skip
            question, session_id = BackMsg(), ""
            question.rerun_script.query_string = "sample=larkspur"
            page.send(question.SerializeToString())
            message = ForwardMsg()
            while message.WhichOneof("type") != "script_finished":
                message = ForwardMsg()
                message.ParseFromString(page.recv(timeout=120))
                session_id = message.new_session.initialize.session_id or session_id
            yield session_id

    def socket_status(self, origin: str, password: str | None = PASSWORD) -> int:
        """What a handshake is answered with; 101 where a run of the script came to its end."""
        try:
            with self.page(origin, password):
                return 101
        except InvalidStatus as refused:
            return int(refused.response.status_code)


def basic(password: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"anna:{password}".encode()).decode()}


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """The server as the README starts it, behind the configuration of the README."""
    nginx, openssl = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin"), shutil.which("openssl")
    if nginx is None or openssl is None:
        reason = "no nginx or no openssl is installed: apt-get install nginx-light openssl"
        if os.environ.get("CNRAG_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("proxy")
    served = Served(folder, "--name", NAME)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}",
         "-keyout", folder / "key.pem", "-out", folder / "certificate.pem"],
        check=True, capture_output=True,
    )  # fmt: skip
    hashed = subprocess.run([openssl, "passwd", "-6", PASSWORD], check=True, capture_output=True, text=True).stdout
    (folder / "passwords").write_text(f"anna:{hashed}", "utf-8")
    os.chmod(folder, 0o755)  # nginx's workers are another user where root starts it
    (folder / "nginx.conf").write_text(_configuration(folder, port, served.port), "utf-8")
    process = subprocess.Popen([nginx, "-p", folder, "-c", folder / "nginx.conf", "-g", "daemon off;"])
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    started = Proxy(port, context)
    try:
        assert until(lambda: process.poll() is not None or _listens(port)), "nginx did not start"
        assert process.poll() is None, (folder / "error.log").read_text("utf-8")
        yield started
    finally:
        process.terminate()
        process.wait(30)
        served.stop()


def _configuration(folder: Path, port: int, served: int) -> str:
    """The README's, with the ports and files of this test, in the frame that Debian's nginx.conf gives it."""
    readme = (ROOT / "README.md").read_text("utf-8")
    [written] = re.findall(r"^```nginx\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    ours = {
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "/etc/ssl/cnrag/": f"{folder}/",
        "/etc/nginx/cnrag.passwords": f"{folder}/passwords",
        "127.0.0.1:8501": f"127.0.0.1:{served}",
    }
    for there, here in ours.items():
        assert there in written, there
        written = written.replace(there, here)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "\n".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    user = "user root;\n" if os.geteuid() == 0 else ""
    return (
        f"{user}pid {folder}/nginx.pid;\nerror_log {folder}/error.log;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{places}\n{written}\n}}\n"
    )


def _listens(port: int) -> bool:
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0


def test_b28_nobody_comes_in_without_the_password(proxy: Proxy) -> None:
    for path in ("/", "/Network", "/_stcore/health", "/static/js/x.js", "/media/x", "/none"):
        assert proxy.ask(path, password=None)[0] == 401, path
        assert proxy.ask(path, password="wrong")[0] == 401, path
    assert proxy.socket_status(f"https://{NAME}:{proxy.port}", password=None) == 401
    assert proxy.ask("/")[0] == 200


def test_b28_the_page_works_through_the_proxy_and_for_its_own_pages_alone(proxy: Proxy) -> None:
    assert proxy.socket_status(f"https://{NAME}:{proxy.port}") == 101
    assert proxy.socket_status("https://evil.example") == 403
    assert proxy.socket_status(f"https://127.0.0.1:{proxy.port}") == 403
    report("B28", 3, 3, "a run through nginx with TLS and password; two other origins refused", score="faults")


def test_b28_headers_and_hidden_addresses(proxy: Proxy) -> None:
    status, headers, _ = proxy.ask("/")
    assert status == 200
    assert headers["x-frame-options"] == "SAMEORIGIN"
    assert headers["x-content-type-options"] == "nosniff"
    assert "frame-ancestors 'self'" in headers["content-security-policy"]
    assert "max-age" in headers["strict-transport-security"]
    for path in ("/_stcore/metrics", "/_stcore/metrics/", "/health"):
        assert proxy.ask(path)[0] == 404, path
    assert proxy.ask("/", Host="evil.example")[0] == 400


def test_b28_an_upload_passes_up_to_the_limit(proxy: Proxy) -> None:
    _, headers, _ = proxy.ask("/_stcore/health")
    found = re.search(r"_streamlit_xsrf=([^;]+)", headers["set-cookie"])
    assert found
    token = found[1].strip('"')
    cookies = {
        "Cookie": f"_streamlit_xsrf={token}",
        "X-Xsrftoken": token,
        "Content-Type": "multipart/form-data; boundary=x",
    }
    body = (
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
        + b"a" * 3_000_000
        + b"\r\n--x--\r\n"
    )
    with proxy.page(f"https://{NAME}:{proxy.port}") as session_id:
        path = f"/_stcore/upload_file/{session_id}/file"
        assert proxy.ask(path, method="PUT", body=body, **cookies)[0] == 204
    assert proxy.ask(path, method="PUT", body=b"a", **{**cookies, "Content-Length": str(202 * 2**20)})[0] == 413

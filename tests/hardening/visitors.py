"""A server as operators start it, and visitors without a browser who speak its protocol.

A `Visitor` opens the same WebSocket as the browser does, asks for script runs, sets widgets by their keys, uploads
through the upload address with its token, and keeps every byte that the server sends.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

ROOT = Path(__file__).resolve().parents[2]
HANG = 60.0
"""Seconds after which something that does not come counts as failed."""


class Served:
    """``cnrag serve`` in a process of its own, on a free port of this machine; or another copy of its script."""

    def __init__(
        self, folder: Path, *options: str, python: Sequence[str] = (), script: Path | None = None, **environment: str
    ) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.log, self.output = folder / "events.jsonl", folder / "output.txt"
        command = [sys.executable, *python, "-m", "cnrag_core.cli", "serve", "--no-browser", "--port", str(self.port)]
        command += ["--log", str(self.log), *options]
        if script is not None:
            command = [sys.executable, *python, str(script), str(self.port), "127.0.0.1", "0", str(self.log)]
        with self.output.open("wb") as output:
            self.process = psutil.Popen(
                command,
                cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
                stdout=output, stderr=subprocess.STDOUT,
            )  # fmt: skip
        if not until(lambda: self.process.poll() is not None or self.answers(), 120):
            self.stop()
        if self.process.poll() is not None:
            raise RuntimeError(f"the server did not start:\n{self.all_logs()}")

    def answers(self, timeout: float = 5.0) -> bool:
        """Whether the health address says that it runs."""
        return self.get("/_stcore/health", timeout=timeout)[0] == 200

    def get(self, path: str, *, timeout: float = HANG, **headers: str) -> tuple[int, bytes, dict[str, str]]:
        """Status, body and headers of an address, its path sent as it is; status 0 where nothing came."""
        return self.ask("GET", path, timeout=timeout, headers=headers)

    def ask(
        self, method: str, path: str, *, body: bytes = b"", timeout: float = HANG, headers: dict[str, str] | None = None
    ) -> tuple[int, bytes, dict[str, str]]:
        """As `get`, with any method."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body=body or None, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read(), {name.lower(): value for name, value in answer.getheaders()}
        except (OSError, http.client.HTTPException):
            return 0, b"", {}
        finally:
            connection.close()

    def health(self) -> dict[str, Any]:
        """The whole health report."""
        return json.loads(self.get("/health")[1])

    def all_logs(self) -> str:
        """Everything that it wrote, events and output."""
        return "\n".join(path.read_text("utf-8", "replace") for path in (self.log, self.output) if path.exists())

    @property
    def cpu_seconds(self) -> float:
        """Processor time that it has taken, which says the same on a busy machine."""
        times = self.process.cpu_times()
        return times.user + times.system

    @property
    def rss(self) -> float:
        """Resident memory in MB."""
        return self.process.memory_info().rss / 2**20

    def builders(self) -> list[psutil.Process]:
        """Its children that build."""
        return [child for child in self.process.children(recursive=True) if "cnrag_core.worker" in _command(child)]

    def stop(self, how: int = signal.SIGTERM, seconds: float = 30.0) -> int | None:
        """End it and return its exit code; None where it had to be killed."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            return int(self.process.wait(seconds))
        except (psutil.TimeoutExpired, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
            return None


def until(condition: Callable[[], Any], seconds: float = HANG, pause: float = 0.1) -> bool:
    """Whether a condition becomes true within a hang limit."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return []


@dataclass
class Run:
    """One run of the script as its visitor saw it."""

    seconds: float = 0.0
    ok: bool = False
    exceptions: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class Visitor:
    """One session. Not for use by several threads at a time."""

    def __init__(self, server: Served, page: str = "", **link: str) -> None:
        self.server = server
        self.page = page
        self.query = urlencode(link)
        self.session_id = ""
        self.elements: dict[str, tuple[str, str, Any]] = {}
        self.values: dict[str, Any] = {}
        self.texts: list[str] = []
        self.keep = False
        self.received: list[bytes] = []
        self._answers: dict[str, Any] = {}
        self._current = Run()
        self._run_id, self._is_over = "", False
        self._seen: set[str] = set()
        self._repeats: dict[str, float] = {}
        self._part = ""
        self._pages: dict[str, str] = {}
        self.token = self._token()
        self._open = ExitStack()
        connection = connect(
            server.url.replace("http", "ws") + "/_stcore/stream",
            subprotocols=["streamlit", self.token],
            origin=server.url,
            additional_headers={"Cookie": f"_streamlit_xsrf={self.token}"},
            max_size=None, open_timeout=HANG, ping_interval=None, compression=None,
        )  # fmt: skip
        self._socket = self._open.enter_context(connection)

    # What a visitor does.

    def run(self, page: str | None = None, *, click: str | None = None, seconds: float = HANG, **link: str) -> Run:
        """Ask for a run of the script and wait for its end.

        Parameters
        ----------
        page
            Name in the address; the present one if absent. Another page forgets the widgets of this one.
        click
            Key of a button to press.
        """
        if page is not None and page != self.page:
            self.page, self.elements = page, {}
            self.values = {}
        if link:
            self.query = urlencode(link)
        return self._send_and_wait(self._rerun(click), seconds)

    def set(self, key: str, value: Any, seconds: float = HANG) -> Run:
        """Set a widget by its key and wait for the run that follows."""
        self.values[key] = value
        return self.run(seconds=seconds)

    def press(self, key: str, seconds: float = HANG) -> Run:
        """Press a button by its key."""
        return self.run(click=key, seconds=seconds)

    def send(self, *, click: str | None = None) -> None:
        """Ask for a run without waiting, as an impatient person does."""
        self._ask(self._rerun(click))

    def upload(self, key: str, name: str, data: bytes, seconds: float = HANG) -> Run:
        """Give a file to an uploader, as the browser does: ask for an address, put the bytes there, set the widget."""
        request = uuid.uuid4().hex
        message = BackMsg()
        message.file_urls_request.request_id = request
        message.file_urls_request.file_names.append(name)
        message.file_urls_request.session_id = self.session_id
        self._socket.send(message.SerializeToString())
        self._listen(lambda: request in self._answers, seconds)
        urls = self._answers[request].file_urls[0]
        status = self.put(urls.upload_url, name, data)
        assert status in (200, 204), f"the upload was answered with {status}"
        self.values[key] = ("file", urls, name, len(data))
        return self.run(seconds=seconds)

    def download(self, key: str, seconds: float = HANG) -> bytes:
        """Press a button that downloads, and return the file."""
        button = self.elements[key][2]
        url = button.url
        if not url:
            message = BackMsg()
            request = message.backend_operation_request
            request.request_id, request.session_id = uuid.uuid4().hex, self.session_id
            request.deferred_file.file_id = button.deferred_file_id
            self._socket.send(message.SerializeToString())
            assert self._listen(lambda: request.request_id in self._answers, seconds), "no file came"
            answer = self._answers[request.request_id]
            assert not answer.error_msg, answer.error_msg
            url = answer.deferred_file.url
        status, data, _ = self.server.get(urlsplit(url).path)
        assert status == 200, f"the download was answered with {status}"
        return data

    def put(self, url: str, name: str, data: bytes, *, token: str | None = None) -> int:
        """Put bytes to an upload address; the status."""
        boundary = uuid.uuid4().hex
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
        body = head + data + f"\r\n--{boundary}--\r\n".encode()
        token = self.token if token is None else token
        headers = {"Content-Type": f"multipart/form-data; boundary={boundary}", "Origin": self.server.url}
        if token:
            headers |= {"X-Xsrftoken": token, "Cookie": f"_streamlit_xsrf={token}"}
        path = urlsplit(url).path
        return self.server.ask("PUT", path if path.startswith("/") else f"/{path}", body=body, headers=headers)[0]

    def wait_for(self, pattern: str, seconds: float = HANG) -> bool:
        """Listen until a text on a page that is whole matches, whoever made the script run."""
        return self._listen(lambda: self._is_over and self.shows(pattern), seconds)

    def shows(self, pattern: str) -> bool:
        """Whether a text of the last run matches."""
        return any(re.search(pattern, text) for text in self.texts)

    def has(self, key: str) -> bool:
        """Whether a widget of this key is on the page."""
        return key in self.elements

    def close(self) -> None:
        """Close the tab."""
        self._open.close()

    def __enter__(self) -> Visitor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # The protocol.

    def _token(self) -> str:
        _, _, headers = self.server.get("/_stcore/health")
        found = re.search(r"_streamlit_xsrf=([^;]+)", headers.get("set-cookie", ""))
        assert found, "the server gave no token"
        return found[1].strip('"')

    def _rerun(self, click: str | None) -> BackMsg:
        message = BackMsg()
        state = message.rerun_script
        state.query_string = self.query
        state.page_script_hash = self._pages.get(self.page, "")
        if not state.page_script_hash:
            state.page_name = self.page
        state.context_info.timezone = "UTC"
        state.context_info.url = f"{self.server.url}/{self.page}"
        for key, value in self.values.items():
            if key in self.elements:
                self._add(state.widget_states.widgets.add(), key, value)
        if click is not None:
            widget = state.widget_states.widgets.add()
            widget.id, widget.trigger_value = self.elements[click][0], True
        return message

    def _add(self, widget: Any, key: str, value: Any) -> None:
        widget.id, kind, _ = self.elements[key]
        if isinstance(value, tuple) and value and value[0] == "file":
            _, urls, name, size = value
            info = widget.file_uploader_state_value.uploaded_file_info.add()
            info.file_id, info.name, info.size = urls.file_id, name, size
            info.file_urls.CopyFrom(urls)
        elif kind == "slider":
            widget.double_array_value.data.append(float(value))
        elif isinstance(value, list) or kind == "button_group":
            widget.string_array_value.data.extend(value if isinstance(value, list) else [value])
        elif isinstance(value, bool):
            widget.bool_value = value
        elif isinstance(value, str):
            widget.string_value = value
        else:
            widget.double_value = float(value)

    def _ask(self, message: BackMsg) -> None:
        """Send a request; what is still on its way of earlier runs is not taken for its answer.

        Only a part that was asked for by itself can make the whole script run anew: its end is waited for first.
        """
        assert self._listen(lambda: not self._part, HANG), f"the part {self._part} of the page did not end"
        self._run_id, self._is_over = "", False
        self._socket.send(message.SerializeToString())

    def _send_and_wait(self, message: BackMsg, seconds: float) -> Run:
        started = time.monotonic()
        run = Run()
        self._current, self.texts = run, []
        self._ask(message)
        run.ok = self._listen(lambda: self._is_over, seconds) and not run.exceptions
        run.seconds = time.monotonic() - started
        return run

    def _listen(self, condition: Callable[[], bool], seconds: float) -> bool:
        end = time.monotonic() + seconds
        while not condition():
            left = end - time.monotonic()
            if left <= 0:
                return False
            try:
                is_idle = self._is_over and not self._part
                data = self._socket.recv(timeout=min([left, *self._repeats.values()]) if is_idle else left)
            except TimeoutError:
                if is_idle and self._repeats:
                    self._repeat()
                continue
            assert isinstance(data, bytes)
            if self.keep:
                self.received.append(data)
            message = ForwardMsg()
            message.ParseFromString(data)
            self._take(message)
        return True

    def _repeat(self) -> None:
        """Ask for the parts of the page that want to run again and again, as the browser does; one at a time."""
        self._part = next(iter(self._repeats))
        self._repeats[self._part] = self._repeats.pop(self._part)  # the others come before it again
        message = self._rerun(None)
        message.rerun_script.fragment_id = self._part
        message.rerun_script.is_auto_rerun = True
        self._socket.send(message.SerializeToString())

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.session_id = message.new_session.initialize.session_id or self.session_id
            if not message.metadata.run.fragment_ids:
                self._run_id, self._is_over, self._seen = message.metadata.run.script_run_id, False, set()
                self.texts, self._repeats = [], {}
        elif kind == "navigation":
            self._pages = {page.url_pathname: page.page_script_hash for page in message.navigation.app_pages}
        elif kind == "auto_rerun":
            self._repeats[message.auto_rerun.fragment_id] = message.auto_rerun.interval
        elif kind == "stop_auto_rerun":
            for fragment in message.stop_auto_rerun.fragment_ids:
                self._repeats.pop(fragment, None)
        elif kind == "file_urls_response":
            self._answers[message.file_urls_response.response_id] = message.file_urls_response
        elif kind == "backend_operation_response":
            self._answers[message.backend_operation_response.request_id] = message.backend_operation_response
        elif kind == "script_finished":
            self._end(message)
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "ref_hash":
            pass
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            self._element(message.delta.new_element)

    def _end(self, message: ForwardMsg) -> None:
        """A run ended: the page is whole if it was the last that began, and neither a part nor begun anew."""
        run = message.metadata.run
        if message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:  # another run begins in its place
            return
        if self._part in run.fragment_ids:
            self._part = ""
        elif self._run_id and run.script_run_id == self._run_id and not run.fragment_ids:
            self._is_over, self._part = True, ""
            self.elements = {key: element for key, element in self.elements.items() if key in self._seen}

    def _element(self, element: Any) -> None:
        kind = element.WhichOneof("type")
        shown = getattr(element, kind)
        if kind == "exception":
            self._current.exceptions.append(f"{shown.type}: {shown.message}")
        if kind == "alert" and shown.format == 1:
            self._current.errors.append(shown.body)
        identity = getattr(shown, "id", "")
        if isinstance(identity, str) and identity.startswith("$$ID-"):
            key = identity.split("-", 2)[2]
            self.elements[key] = (identity, kind, shown)
            self._seen.add(key)
        for name in ("body", "label", "text"):
            text = getattr(shown, name, None)
            if isinstance(text, str) and text:
                self.texts.append(text)


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which a share of the values lies; 0 of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def together(work: Sequence[Callable[[], Any]]) -> list[Any]:
    """Do several things at the same time, each on a thread of its own."""
    with ThreadPoolExecutor(len(work)) as threads:
        return [future.result() for future in [threads.submit(one) for one in work]]


WATCHER = """
import http.client, select, sys, time
while not select.select([sys.stdin], [], [], 0.5)[0]:  # its end is the end of the watch
    connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=20)
    started = time.monotonic()
    try:
        connection.request("GET", "/_stcore/health")
        ok = connection.getresponse().status == 200
    except OSError:
        ok = False
    connection.close()
    print(time.monotonic() - started if ok else float("inf"), flush=True)
"""


@contextmanager
def watched(server: Served) -> Iterator[list[float]]:
    """Seconds in which the health address answered while the block runs; inf where it did not.

    Another process asks: in this one the visitors would hold up the clock.
    """
    seconds: list[float] = []
    watcher = subprocess.Popen(
        [sys.executable, "-c", WATCHER, str(server.port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        yield seconds
    finally:
        output, _ = watcher.communicate()
        seconds += [float(line) for line in output.splitlines()]

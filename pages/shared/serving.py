"""The dashboard as a server for others: guarded addresses, a health report, a log that quotes nobody.

``cnrag serve`` runs this file. Streamlit alone sends no protective headers, shows its metrics to everyone and
answers any host name; `Guard` stands before it.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import ipaddress
import logging
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:  # run as a file, as `cnrag serve` does
    sys.path.insert(0, str(ROOT))

import streamlit as st  # noqa: E402
import streamlit.logger  # noqa: E402
from streamlit import runtime  # noqa: E402
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage  # noqa: E402
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner  # noqa: E402

from cnrag_core.event_log import OURS, event_handler, write_event  # noqa: E402
from cnrag_core.freed_memory import give_back  # noqa: E402
from cnrag_core.health import look_after  # noqa: E402
from cnrag_core.jobs import cancel_all, failed  # noqa: E402
from cnrag_core.limits import server_limits  # noqa: E402
from cnrag_core.turns import Turns  # noqa: E402
from cnrag_core.undelayed import send_at_once  # noqa: E402

HEALTH = "/health"
HIDDEN = ("/_stcore/metrics", "/_stcore/script-health-check")
FORWARDED = ("x-forwarded-for", "forwarded", "x-real-ip")
SWEEP_SECONDS = 15.0

LONG_SCRIPT_SECONDS = 5.0
DOWNLOAD_SECONDS = 60.0
SCRIPTS_AT_ONCE = 4
"""Visitors whose pages are computed at the same time; the others wait for their turn, which comes sooner that way."""

CONTENT_POLICY = "; ".join(
    [
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",  # Streamlit makes its components' modules at run time
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "media-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "frame-src 'self' data: blob:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    ]
)
"""A page may fetch nothing from elsewhere, whatever a document says, and nobody else may frame it."""

HEADERS = {
    "content-security-policy": CONTENT_POLICY,
    "x-frame-options": "SAMEORIGIN",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


@dataclass(frozen=True)
class Settings:
    """What ``cnrag serve`` was asked: where to listen, under which names people come, where the log goes."""

    port: int = 8501
    address: str = "127.0.0.1"
    names: tuple[str, ...] = ()
    browser: bool = False
    log: Path | None = None

    @property
    def allowed_hosts(self) -> list[str]:
        """Names that a request may be for: this machine's, and those that were given."""
        return ["localhost", "127.0.0.1", "[::1]", *self.names]


class Guard:
    """Adds protective headers to every answer, hides addresses that are nobody's business, and lets only our own
    pages open a socket: Streamlit would let in those of any other port of this machine.

    Parameters
    ----------
    names
        Host names whose pages are ours although a proxy may ask under another.
    """

    def __init__(self, app: ASGIApp, names: Sequence[str] = ()) -> None:
        self._app = app
        self._names = frozenset(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and not self._is_ours(Headers(scope=scope)):
            await send({"type": "websocket.close", "code": 1008})  # before it was accepted: answered with 403
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = [(name, value) for name, value in message["headers"] if name.lower().decode() not in HEADERS]
                ours = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*given, *ours]}
            await send(message)

        if scope["path"].rstrip("/").endswith(HIDDEN):
            await PlainTextResponse("Not Found", status_code=404)(scope, receive, guarded)
            return
        await self._app(scope, receive, guarded)

    def _is_ours(self, headers: Headers) -> bool:
        origin = headers.get("origin")
        if origin is None:  # no browser
            return True
        asked = urlsplit(origin)
        return asked.scheme in ("http", "https") and (
            asked.netloc == headers.get("host") or asked.hostname in self._names
        )


async def health(request: Request) -> JSONResponse:
    """200 where all is well, 503 where not; what is wrong is told to this machine alone."""
    report = await asyncio.to_thread(look_after)
    whole = report.to_dict() | {"sessions": _n_sessions()}
    body = whole if is_local(request) else {"status": whole["status"]}
    return JSONResponse(body, status_code=200 if report.ok else 503, headers={"cache-control": "no-store"})


def is_local(request: Request) -> bool:
    """Whether somebody on this machine asks, and not a proxy on somebody's behalf."""
    if request.client is None or any(name in request.headers for name in FORWARDED):
        return False
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(request.client.host).is_loopback
    return False


def make_app(settings: Settings) -> st.App:
    """The dashboard with what stands before it."""
    return st.App(
        ROOT / "app.py",
        routes=[Route(HEALTH, health, methods=["GET", "HEAD"])],
        middleware=[
            Middleware(Guard, names=settings.names),
            Middleware(TrustedHostMiddleware, allowed_hosts=settings.allowed_hosts),
        ],
        lifespan=_while_serving,
        on_script_error=_script_failed,
    )


@contextlib.asynccontextmanager
async def _while_serving(_: st.App) -> AsyncIterator[dict[str, Any]]:
    write_event("server started")
    await asyncio.to_thread(send_at_once)
    sweeper = asyncio.create_task(_sweep())
    try:
        yield {}
    finally:
        sweeper.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await sweeper
        await asyncio.to_thread(cancel_all)
        write_event("server stopped")


async def _sweep() -> None:
    """Let go of the sessions of visitors who left: Streamlit does so only when the next one comes or goes."""
    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        delete_old_downloads()
        kept = getattr(_manager(), "_session_storage", None)
        expire = getattr(getattr(kept, "_cache", None), "expire", None)
        if expire is not None:
            expire()
        await asyncio.to_thread(tidy)


def tidy() -> None:
    """Free what nobody holds and give it back to the system: the C library keeps what a crowd took that has left."""
    gc.collect()
    give_back()


def _manager() -> Any:
    return getattr(runtime.get_instance(), "_session_mgr", None) if runtime.exists() else None


def _n_sessions() -> int | None:
    manager = _manager()
    return None if manager is None else int(manager.num_active_sessions())


def _script_failed(error: Exception) -> bool:
    """What no page caught: a sentence with a reference instead of the error."""
    try:
        raise error
    except Exception:
        reference = failed("script failed")
    st.error(f"Something went wrong that should not have; it is logged under reference {reference}.")
    return True


def log_everything(target: Path | None) -> None:
    """Send the records of all libraries through the log that quotes nobody."""
    handler = event_handler(target)

    def attach(logger: logging.Logger) -> None:
        logger.handlers[:] = [handler]
        logger.propagate = False
        logger.setLevel(logging.INFO)

    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.captureWarnings(True)
    attach(logging.getLogger(OURS))
    streamlit.logger.setup_formatter = attach  # it gives every logger of Streamlit's a handler of its own
    streamlit.logger.update_formatter()
    _quiet_uvicorn(attach)


def _quiet_uvicorn(attach: Callable[[logging.Logger], None]) -> None:
    """Uvicorn configures its loggers when it starts, from this dictionary."""
    from uvicorn.config import LOGGING_CONFIG

    LOGGING_CONFIG["handlers"] = {}
    LOGGING_CONFIG["loggers"] = {}
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi"):
        attach(logging.getLogger(name))


def run_scripts_in_turn(turns: Turns) -> None:
    """Let few scripts run at a time: Streamlit starts one thread a visitor, and all of them want one interpreter."""
    run = ScriptRunner._run_script

    def run_in_turn(runner: ScriptRunner, *arguments: Any) -> None:
        with turns.turn():
            run(runner, *arguments)

    ScriptRunner._run_script = run_in_turn  # type: ignore[method-assign]  # there is no public place for it


def keep_downloads() -> None:
    """Keep a made file until its visitor's browser has fetched it.

    Streamlit deletes it when scripts of any visitors have ended twice; on a busy server that is sooner than the
    browser asks for it.
    """
    load = MemoryMediaFileStorage.load_and_get_id

    def load_and_get_id(storage: MemoryMediaFileStorage, *arguments: Any, **options: Any) -> str:
        file_id = load(storage, *arguments, **options)
        _unwanted.pop(file_id, None)
        return file_id

    def delete_file(storage: MemoryMediaFileStorage, file_id: str) -> None:
        _unwanted[file_id] = (time.monotonic(), storage)

    MemoryMediaFileStorage.load_and_get_id = load_and_get_id  # type: ignore[method-assign]
    MemoryMediaFileStorage.delete_file = delete_file  # type: ignore[method-assign]


def delete_old_downloads() -> None:
    """Delete the files that nobody has wanted for a while."""
    late = time.monotonic() - DOWNLOAD_SECONDS
    for file_id, (since, storage) in list(_unwanted.items()):
        if since < late and _unwanted.pop(file_id, None) is not None:
            _delete_file(storage, file_id)


_delete_file = MemoryMediaFileStorage.delete_file
_unwanted: dict[str, tuple[float, MemoryMediaFileStorage]] = {}
"""Files to delete, and since when."""


def end_in_order() -> None:
    """End as any program does when the process is told to stop: uvicorn raises the signal once more when it has
    closed, and unhandled it would end the process before what visitors left on the disk is removed.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))


def serve(settings: Settings) -> None:
    """Listen until the process is told to stop."""
    end_in_order()
    log_everything(settings.log)
    keep_downloads()
    run_scripts_in_turn(Turns(SCRIPTS_AT_ONCE, patience=LONG_SCRIPT_SECONDS))
    os.chdir(ROOT)  # Streamlit reads .streamlit/config.toml from here
    make_app(settings).run(
        config={
            "server.port": settings.port,
            "server.address": settings.address,
            "server.headless": not settings.browser,
            "server.allowedHosts": settings.allowed_hosts,
            "server.maxUploadSize": server_limits().upload_mb,
            "server.disconnectedSessionTTL": server_limits().absent_s,
            "logger.enableRich": False,  # it would print errors, and what they quote, past the log
        }
    )


def main(arguments: Sequence[str]) -> None:
    """``serving.py PORT ADDRESS BROWSER LOG NAME...``, as the command line calls it."""
    port, address, browser, log, *names = arguments
    serve(Settings(int(port), address, tuple(names), browser == "1", Path(log) if log else None))


if __name__ == "__main__":
    main(sys.argv[1:])

# Written by `patchbay export --python`. Write it again when tools have changed.
# It needs no library, and Python 3.11 or later.
#
# The first call starts `patchbay serve`, or the program that the variable PATCHBAY
# names. A call that fails raises a PatchbayError with a code and a message. Calls may
# be made from several threads.
from __future__ import annotations

import atexit as _atexit
import concurrent.futures as _futures
import itertools as _itertools
import json as _json
import os as _os
import subprocess as _subprocess
import tempfile as _tempfile
import threading as _threading
import typing as _t

_UNSET: _t.Any = object()


class PatchbayError(Exception):
    """Says why a call failed: a code, such as tool-failed, and a message."""

    def __init__(self, fault: dict[str, _t.Any]) -> None:
        super().__init__(str(fault.get("message", "the call failed")))
        self.code = str(fault.get("code", "failed"))
        self.message = str(self)
        self.fault = fault  # the whole: hint, node, input and what else is known


class _Server:
    def __init__(self, flags: tuple[str, ...]) -> None:
        program = _os.environ.get("PATCHBAY") or "patchbay"
        self.said = _tempfile.TemporaryFile()
        try:
            self.child = _subprocess.Popen([program, *flags, "serve"], stdin=_subprocess.PIPE, stdout=_subprocess.PIPE, stderr=self.said)
        except OSError as why:
            raise PatchbayError({"code": "server-stopped", "message": f"cannot start {program}: {why}"}) from None
        self.ids = _itertools.count(1)
        self.lock = _threading.Lock()
        self.waiting: dict[int, _futures.Future[_t.Any]] = {}
        self.over = False
        _threading.Thread(target=self.read, daemon=True).start()
        client = {"name": "patchbay-python", "version": "1"}
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.send({"method": "notifications/initialized"})

    def send(self, message: dict[str, _t.Any]) -> None:
        with self.lock:
            if self.over:
                return
            try:
                self.child.stdin.write(_json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
                self.child.stdin.flush()
            except OSError:
                pass  # read ends too, and says so

    def request(self, method: str, params: dict[str, _t.Any]) -> _t.Any:
        reply: _futures.Future[_t.Any] = _futures.Future()
        with self.lock:
            if self.over:
                raise self.stopped()
            key = next(self.ids)
            self.waiting[key] = reply
        self.send({"id": key, "method": method, "params": params})
        return reply.result()

    def read(self) -> None:
        for line in self.child.stdout:
            message = _json.loads(line)
            if "method" in message:
                if "id" in message:
                    self.send({"id": message["id"], "error": {"code": -32601, "message": "not supported"}})
                continue
            reply = self.waiting.pop(message["id"], None)
            if reply is None:
                continue
            if "error" in message:
                reply.set_exception(PatchbayError({**message["error"], "code": "refused"}))
            else:
                reply.set_result(message["result"])
        with self.lock:
            self.over = True
            left, self.waiting = self.waiting, {}
        for reply in left.values():
            reply.set_exception(self.stopped())

    def stopped(self) -> PatchbayError:
        self.child.wait()
        self.said.seek(max(0, _os.fstat(self.said.fileno()).st_size - 4000))
        said = self.said.read().decode(errors="replace")
        return PatchbayError({"code": "server-stopped", "message": ("patchbay has stopped\n" + said).strip()})

    def close(self) -> None:
        try:
            self.child.stdin.close()
        except OSError:
            pass
        self.child.wait()


_server: _Server | None = None
_starting = _threading.Lock()


def start(*flags: str) -> None:
    """Starts the server with flags of patchbay, such as start("--config", "work.yaml")."""
    global _server
    close()
    with _starting:
        _server = _Server(flags)


def close() -> None:
    """Stops the server. A script need not: the server stops when the script ends."""
    global _server
    with _starting:
        server, _server = _server, None
    if server is not None:
        server.close()


_atexit.register(close)


def _run(what: dict[str, _t.Any], arguments: dict[str, _t.Any]) -> _t.Any:
    """Runs a graph, and returns its whole result."""
    global _server
    with _starting:
        if _server is None:
            _server = _Server(())
        server = _server
    what = {**what, "arguments": arguments, "trace": "none", "wait_ms": 86400000}
    run = server.request("tools/call", {"name": "run_graph", "arguments": what}).get("structuredContent") or {}
    if run.get("status") == "succeeded":
        return run.get("result")
    fault = run.get("error") or (run.get("diagnostics") or [{"message": run.get("hint", "the call failed")}])[0]
    raise PatchbayError({"code": run.get("status", "failed"), **fault, "run_id": run.get("run_id")})


def _tool(server: str, tool: str, arguments: dict[str, _t.Any]) -> _t.Any:
    """Calls a tool by a graph of this call alone."""
    arguments = {key: value for key, value in arguments.items() if value is not _UNSET}
    given: dict[str, _t.Any] = {"expr": "$.entry"}
    if "expr" in arguments:  # an argument of this name would be taken for an expression
        given = {key: {"expr": f"$lookup($.entry, {_json.dumps(key)})"} for key in arguments}
    nodes = [
        {"id": "entry", "type": "entry", "next": "call"},
        {"id": "call", "type": "mcp", "server": server, "tool": tool, "args": given, "next": "exit"},
        {"id": "exit", "type": "exit"},
    ]
    return _run({"graph": {"name": "run_node", "nodes": nodes, "executionLimits": {"maxExecutionTimeMs": 86400000}}}, arguments)


def _graph(name: str, arguments: dict[str, _t.Any]) -> _t.Any:
    return _run({"name": name}, {key: value for key, value in arguments.items() if value is not _UNSET})

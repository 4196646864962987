"""The real YAML language server, driven over standard input and output like an editor does."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / ".editors/node_modules/yaml-language-server/bin/yaml-language-server"

Message = dict[str, Any]


def settings() -> Message:
    """The repository's settings as VS Code passes them on, with absolute paths."""
    text = (ROOT / ".vscode" / "settings.json").read_text("utf-8")
    stated: Message = json.loads(text)["yaml.schemas"]
    schemas = {ROOT.joinpath(place).resolve().as_uri(): files for place, files in stated.items()}
    store = {"enable": False}
    return {
        "yaml": {
            "schemas": schemas,
            "validate": True,
            "hover": True,
            "completion": True,
            "schemaStore": store,
        }
    }


class Server:
    """A running server; documents are opened from text and need no file."""

    def __init__(self, program: Path = PROGRAM) -> None:
        self.process = subprocess.Popen(
            ["node", program, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.asked = 0
        self.found: dict[str, list[Message]] = {}
        root = ROOT.as_uri()
        able = {
            "workspace": {"configuration": True},
            "textDocument": {"hover": {"contentFormat": ["markdown"]}},
        }
        folders = [{"uri": root, "name": "scalesheet"}]
        self.ask(
            "initialize", processId=None, rootUri=root, capabilities=able, workspaceFolders=folders
        )
        self.tell("initialized")
        self.tell("workspace/didChangeConfiguration", settings=settings())

    def close(self) -> None:
        self.ask("shutdown")
        self.tell("exit")
        self.process.communicate(timeout=10)

    # -------------------------------------------------------------- actions of an editor

    def open(self, place: str, text: str) -> list[Message]:
        """Open a document; return the errors that the server finds."""
        uri = (ROOT / place).as_uri()
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self.found.pop(uri, None)
        self.tell("textDocument/didOpen", textDocument=document)
        self._until(lambda message: uri in self.found)
        return self.found[uri]

    def hover(self, place: str, line: int, character: int) -> str:
        answer = self._at("hover", place, line, character)
        return str(answer["contents"]["value"]) if answer else ""

    def completion(self, place: str, line: int, character: int) -> list[str]:
        answer = self._at("completion", place, line, character)
        return [item["label"] for item in answer["items"]]

    def _at(self, what: str, place: str, line: int, character: int) -> Any:
        return self.ask(
            f"textDocument/{what}",
            textDocument={"uri": (ROOT / place).as_uri()},
            position={"line": line, "character": character},
        )

    # -------------------------------------------------------------- the protocol

    def ask(self, method: str, **parameters: Any) -> Any:
        self.asked += 1
        own = self.asked
        self._send({"id": own, "method": method, "params": parameters})
        return self._until(lambda m: m.get("id") == own and "method" not in m).get("result")

    def tell(self, method: str, **parameters: Any) -> None:
        self._send({"method": method, "params": parameters})

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        self.process.stdin.flush()

    def _until(self, wanted: Callable[[Message], bool]) -> Message:
        """Read messages until a matching one; answer the server's requests meanwhile."""
        while True:
            message = self._read()
            if message.get("method") == "textDocument/publishDiagnostics":
                self.found[message["params"]["uri"]] = message["params"]["diagnostics"]
            elif "method" in message and "id" in message:
                items = message.get("params", {}).get("items", [])
                said = [settings().get(item.get("section")) for item in items]
                self._send({"id": message["id"], "result": said or None})
            if wanted(message):
                return message

    def _read(self) -> Message:
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        assert length, "the language server has ended"
        message: Message = json.loads(self.process.stdout.read(length))
        return message

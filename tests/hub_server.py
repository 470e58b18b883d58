"""A hub on this machine: repositories in memory, with the requests that huggingface_hub makes."""

import base64
import hashlib
import json
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

Files = dict[str, bytes]


def create_hub() -> FastAPI:
    """`app.state.repositories` are the files by name; `app.state.asked` all paths that were got."""
    app = FastAPI()
    repositories: dict[str, Files] = {}
    app.state.repositories, app.state.asked = repositories, []

    @app.post("/api/repos/create")
    async def create(request: Request) -> Any:
        body = await request.json()
        name = f"{body.get('organization') or 'me'}/{body['name']}"
        repositories.setdefault(name, {})
        return {"url": f"{request.base_url}{name}", "name": name}

    @app.post("/api/validate-yaml")
    async def validate() -> Any:
        return {"errors": [], "warnings": []}

    @app.post("/api/models/{owner}/{name}/preupload/{revision}")
    async def preupload(request: Request) -> Any:
        files = (await request.json())["files"]
        plain = {"uploadMode": "regular", "shouldIgnore": False}
        return {"files": [{"path": file["path"], **plain} for file in files]}

    @app.post("/api/models/{owner}/{name}/commit/{revision}")
    async def commit(owner: str, name: str, request: Request) -> Any:
        files = repositories[f"{owner}/{name}"]
        for line in (await request.body()).splitlines():
            entry = json.loads(line)
            if entry["key"] == "file":
                content = entry["value"]["content"]
                files[entry["value"]["path"]] = base64.b64decode(content)
            elif entry["key"] == "deletedFile":
                del files[entry["value"]["path"]]
        url = f"{request.base_url}{owner}/{name}/commit/{sha(files)}"
        return {"commitUrl": url, "commitOid": sha(files)}

    @app.get("/api/models/{owner}/{name}")
    @app.get("/api/models/{owner}/{name}/revision/{revision}")
    async def info(owner: str, name: str, revision: str = "main") -> Any:
        if (files := repositories.get(f"{owner}/{name}")) is None:
            missing = {"X-Error-Code": "RepoNotFound"}
            return JSONResponse({"error": "Repository not found"}, 404, missing)
        id = f"{owner}/{name}"
        return {"id": id, "modelId": id, "sha": sha(files), "siblings": [], "tags": [],
                "private": False, "downloads": 0}  # fmt: skip

    @app.get("/api/models/{owner}/{name}/tree/{revision}")
    async def tree(owner: str, name: str) -> Any:
        files = repositories[f"{owner}/{name}"]
        return [{"type": "file", "path": path, "size": len(content), "oid": blob(content)}
                for path, content in files.items()]  # fmt: skip

    @app.api_route("/{owner}/{name}/resolve/{revision}/{path:path}", methods=["GET", "HEAD"])
    async def resolve(owner: str, name: str, path: str, request: Request) -> Response:
        files = repositories[f"{owner}/{name}"]
        app.state.asked.append(path)
        headers = {"ETag": f'"{blob(files[path])}"', "X-Repo-Commit": sha(files),
                   "Content-Length": str(len(files[path]))}  # fmt: skip
        content = b"" if request.method == "HEAD" else files[path]
        return Response(content, headers=headers, media_type="application/octet-stream")

    return app


def sha(files: Files) -> str:
    """The commit of these files."""
    parts = (f"{path} {blob(content)}" for path, content in sorted(files.items()))
    return hashlib.sha1("\n".join(parts).encode()).hexdigest()


def blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()

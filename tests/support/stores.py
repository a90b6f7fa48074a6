"""A store for tests: a server of S3 on this machine, and what a build needs to find them."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SECRET = "".join(("S3cr", "et", "Of", "The", "Store", "4711"))
"""The key of the S3 server: no site, cache or message may hold it."""
BUCKET = "bucket"


@contextmanager
def s3() -> Iterator[dict[str, str]]:
    """A server of S3 with one bucket; gives the environment of who uses it."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        environment = {
            "AWS_ACCESS_KEY_ID": "sitegen",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        }
        yield environment
    finally:
        server.stop()


def upload(folder: Path, environment: dict[str, str], prefix: str) -> None:
    """Put a folder into the bucket, below a prefix."""
    client = s3_client(environment)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            name = f"{prefix}/{path.relative_to(folder).as_posix()}"
            client.put_object(Bucket=BUCKET, Key=name, Body=path.read_bytes())


def s3_client(environment: dict[str, str]):
    """A client of another make than ours, to the server of `s3`; the bucket is there."""
    import boto3

    client = boto3.client(
        "s3",
        endpoint_url=environment["AWS_ENDPOINT_URL"],
        aws_access_key_id=environment["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=environment["AWS_SECRET_ACCESS_KEY"],
        region_name="us-east-1",
    )
    client.create_bucket(Bucket=BUCKET)
    return client


@contextmanager
def _loop() -> Iterator[asyncio.AbstractEventLoop]:
    """An event loop that runs in a thread of its own, as the browser's runs in that of the tests."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def end() -> None:
        left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    try:
        yield loop
    finally:
        asyncio.run_coroutine_threadsafe(end(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@contextmanager
def cut(port: int, begin: float, seconds: float) -> Iterator[int]:
    """A way to a port of this machine on which after a while nothing passes for so many seconds; gives its own port."""
    listening = list[asyncio.Server]()
    open_now = set[asyncio.StreamWriter]()

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if begun <= loop.time() < begun + seconds:
            writer.close()
            return
        there, back = await asyncio.open_connection("127.0.0.1", port)
        open_now.update((writer, back))
        await asyncio.gather(carry(reader, back), carry(there, writer))

    async def break_off() -> None:
        await asyncio.sleep(begin)
        for writer in open_now:
            writer.transport.abort()

    async def start() -> None:
        listening.append(await asyncio.start_server(meet, "127.0.0.1", 0))

    with _loop() as loop:
        begun = loop.time() + begin
        asyncio.run_coroutine_threadsafe(start(), loop).result()
        breaking = asyncio.run_coroutine_threadsafe(break_off(), loop)
        try:
            yield listening[0].sockets[0].getsockname()[1]
            assert breaking.done(), "all was over before the cut"
        finally:
            loop.call_soon_threadsafe(listening[0].close)

"""Behind a transaction pooler: nothing of a session is relied on."""

from pathlib import Path

from tenure import AsyncClient
from tenure_server.application import Application
from tenure_server.settings import Settings
from tests.factories import leased_job
from tests.fixtures.service import HandDrivenClock


async def test_jobs_flow_without_sessions(dsn: str, socket_dir: Path, clock: HandDrivenClock) -> None:
    target = f"unix:{socket_dir}/s.sock"
    application = Application(Settings(listen=(target,), pooler=True), dsn, clock)
    await application.start()
    async with AsyncClient(target) as client:
        grant = await leased_job(client)
        moved = await client.transition(grant, "succeeded")
    async with application.database.read() as tx:
        prepared = await tx.send("SELECT count(*) FROM pg_prepared_statements")
        timeout = await tx.send("SHOW statement_timeout")
        facts = await prepared.fetchone(), await timeout.fetchone()
    await application.drain(0)

    assert moved.job.state == "succeeded"
    assert facts == ((0,), ("0",))

"""The whole life of a job, by the client."""

from tenure import Client


def finish_a_job(target: str) -> str:
    """Create a job, lease it, renew, finish; returns its id."""
    with Client(target) as client:
        job = client.create_job("life", payload=b"data").job
        [grant] = client.acquire("tester", job_id=job.id, lease_duration=30).grants
        assert client.renew(grant).ttl > 29
        client.transition(grant, "succeeded", result=b"done")
        found = client.get_job(job.id)
    assert (found.state, found.attempt, found.result and found.result.content) == ("succeeded", 1, b"done")
    return job.id

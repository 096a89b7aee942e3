"""One job, two workers: the second takes over, and what the first one writes too late is refused."""

import sys

from tenure import Client, LeaseLost, RetryPolicy


def main(target: str = "localhost:50051") -> None:
    with Client(target) as client:
        job = client.create_job("reports", payload={"month": 9}, retry=RetryPolicy(max_attempts=2)).job
        print(f"created: {job.state}")

        anna = client.acquire("anna", queues=["reports"], lease_duration=2).grants[0]
        print(f"anna holds it: attempt {anna.attempt}, fence {anna.fence}")

        renewed = client.renew(anna)
        print(f"anna renews: {renewed.ttl:g} s from now")

        # Anna falls silent. Bert waits for a job of the queue and gets this one when her lease is over.
        bert = client.acquire("bert", queues=["reports"], lease_duration=30, wait=20).grants[0]
        print(f"bert holds it: attempt {bert.attempt}, fence {bert.fence}")

        try:
            client.transition(anna, "succeeded", result={"rows": 1})
        except LeaseLost as error:
            print(f"anna is too late: {error.reason}")

        done = client.transition(bert, "succeeded", result={"rows": 2})
        print(f"bert finishes: {done.job.state}")

        again = client.transition(bert, "succeeded", result={"rows": 2})
        print(f"bert asks again: replayed {again.replayed}")

        result = client.get_job(job.id).result
        print(f"the result: {result.json() if result else None}")


if __name__ == "__main__":
    main(*sys.argv[1:])

# Two stages: wheels are built and installed in the first, the second has neither compiler nor pip cache.
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
WORKDIR /src
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PIP_NO_CACHE_DIR=1
RUN python3 -m venv /opt/tenure
COPY pyproject.toml constraints.txt README.md LICENSE NOTICE ./
COPY server server
COPY client/python client/python
RUN /opt/tenure/bin/pip install --quiet --constraint constraints.txt hatchling \
 && /opt/tenure/bin/pip install --quiet --constraint constraints.txt --no-build-isolation '.[server,embedded]' \
 && /opt/tenure/bin/pip uninstall --quiet --yes hatchling

FROM ${BASE}
# A user with an entry in passwd: PostgreSQL refuses to run for one without.
RUN groupadd --gid 10001 tenure \
 && useradd --uid 10001 --gid tenure --home-dir /var/lib/tenure --no-create-home --shell /usr/sbin/nologin tenure \
 && install -d -o tenure -g tenure -m 0700 /var/lib/tenure /run/tenure
COPY --from=build /opt/tenure /opt/tenure
ENV PATH=/opt/tenure/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    TENURE_LISTEN=0.0.0.0:50051,unix:/run/tenure/tenure.sock \
    TENURE_DATA_DIR=/var/lib/tenure/postgres \
    TENURE_SERVER=unix:/run/tenure/tenure.sock
USER 10001:10001
# Everything that is written lies here; the root file system may be read-only.
VOLUME ["/var/lib/tenure", "/run/tenure"]
EXPOSE 50051
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=5s --start-period=30s --retries=3 CMD ["tenure", "health"]
ENTRYPOINT ["tenure"]
CMD ["serve"]

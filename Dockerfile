# Two stages: the wheel is built and installed in the first; the second has neither compiler nor pip.
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
WORKDIR /src
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PIP_NO_CACHE_DIR=1
RUN python3 -m venv /opt/build && python3 -m venv --without-pip /opt/tenure
COPY constraints.txt pyproject.toml README.md LICENSE NOTICE ./
RUN /opt/build/bin/pip install --quiet --constraint constraints.txt hatchling
COPY server server
COPY client/python client/python
RUN /opt/build/bin/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir /dist . \
 && /opt/build/bin/pip --python /opt/tenure/bin/python install --quiet --constraint constraints.txt \
      "$(echo /dist/tenure-*.whl)[server,embedded]"

FROM ${BASE}
# A user with an entry in passwd: PostgreSQL refuses to run for one without. With a DSN any user will do,
# so the directory of the socket is open to all, as /tmp is.
RUN groupadd --gid 10001 tenure \
 && useradd --uid 10001 --gid tenure --home-dir /var/lib/tenure --no-create-home --shell /usr/sbin/nologin tenure \
 && install -d -o tenure -g tenure -m 0700 /var/lib/tenure \
 && install -d -o tenure -g tenure -m 1777 /run/tenure
COPY --from=build /opt/tenure /opt/tenure
# The grace fits into the ten seconds that `docker stop` allows.
ENV PATH=/opt/tenure/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    TENURE_LISTEN=0.0.0.0:50051,unix:/run/tenure/tenure.sock \
    TENURE_DATA_DIR=/var/lib/tenure/postgres \
    TENURE_GRACE=8s \
    TENURE_SERVER=unix:/run/tenure/tenure.sock
USER 10001:10001
# Everything that is written lies here; the root file system may be read-only.
VOLUME ["/var/lib/tenure", "/run/tenure"]
EXPOSE 50051
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["tenure", "health"]
ENTRYPOINT ["tenure"]
CMD ["serve"]

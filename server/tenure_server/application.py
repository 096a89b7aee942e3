"""The composition root: settings → database → services → gRPC → loops → drain."""

import asyncio
import logging
import signal
from collections.abc import Coroutine
from contextlib import ExitStack
from typing import Any

from tenure_server.domain.clock import Clock
from tenure_server.logs import configure_logging
from tenure_server.maintenance.job_pruner import JobPruner, RequestIdPruner
from tenure_server.maintenance.job_pruner import REMOVED as PRUNED_PAGE
from tenure_server.maintenance.job_pruner import SCANNED as PRUNER_PAGE
from tenure_server.maintenance.job_sweep import PAGE, JobExpirer, JobPromoter, LeaseReaper
from tenure_server.maintenance.ticker import Ticker
from tenure_server.postgres import EmbeddedOptions, EmbeddedPostgres, default_data_dir
from tenure_server.rpc.server import RpcServer
from tenure_server.service.announcer import Announcer
from tenure_server.service.flusher import Flusher
from tenure_server.service.jobs import Jobs
from tenure_server.service.leases import Leases
from tenure_server.service.lifecycles import load_catalogue
from tenure_server.service.notifications import Notifications
from tenure_server.service.queues import Queues
from tenure_server.service.server_info import ServerInfo
from tenure_server.service.wakeups import Wakeups
from tenure_server.service.watching import Watching
from tenure_server.settings import Settings
from tenure_server.store.database import Database, DatabaseSettings
from tenure_server.store.migrate import migrate, schema_version

log = logging.getLogger(__name__)

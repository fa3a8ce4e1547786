"""Is Cloudflare as a run needs it? What is said of it, and whether the account has it."""

from collections.abc import Iterator
from contextlib import closing

from feeder.cloudflare.api import Api
from feeder.cloudflare.credentials import choose_store, cloud_settings, has_token, require_settings
from feeder.cloudflare.provision import AccountResources
from feeder.config import Settings
from feeder.doctor import Finding
from feeder.errors import UserError
from feeder.session.session import current_workspace


def check_credentials(settings: Settings) -> Iterator[Finding]:
    """What is said of the account; nobody is asked."""
    if not choose_store(settings).is_cloud:
        return
    cloud = cloud_settings(settings, current_workspace(settings).repo)
    require_settings(cloud, database=True)
    ids = f"account {cloud.account_id[:6]}…, database {cloud.database_id[:6]}…"
    yield Finding("credentials", f"a token is set; {ids}, index {cloud.index_name}")


def check_vectorize(settings: Settings) -> Iterator[Finding]:
    """Whether the index of vectors is there; that Workers AI may be asked, only a run shows."""
    if not choose_store(settings).is_cloud or not has_token():
        return
    cloud = cloud_settings(settings, current_workspace(settings).repo)
    with closing(Api(cloud.token, cloud.account_id, base_url=cloud.base_url)) as api:
        config = AccountResources(api).index_config(cloud.index_name)
    if config is None:
        raise UserError(f"There is no Vectorize index {cloud.index_name}. Make it: feeder init")
    says = f"{cloud.index_name}, {config['dimensions']} dimensions, {config['metric']}"
    yield Finding("vectorize", says)

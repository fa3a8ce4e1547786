/** What a test may change about the service; every value starts as the live service has it. */

const LIVE = Object.freeze({
  requests_per_window: 1200,
  window_s: 300,
  block_s: 300,
  // 200 on the live service; off here, because it would make a test depend on the machine's speed.
  requests_per_second: null,
  // A write is visible after 30 s at the median.
  vectorize_delay_s: 30,
  d1_timeout_s: 30,
  // Cloudflare documents no limit of a D1 body; a test that wants one sets it by a fault.
  ai_request_tokens: 50_000,
});

export class Settings {
  constructor() {
    this.reset();
  }

  reset() {
    Object.assign(this, LIVE);
  }

  change(values) {
    for (const name of Object.keys(values)) {
      if (!(name in LIVE)) throw new Error(`no setting is called ${name}`);
    }
    Object.assign(this, values);
  }
}

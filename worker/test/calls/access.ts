/** The functions that slow down guesses of tokens, as the tests call them. */

import { clientNetwork, FailedLogins } from "../../src/failed_logins.ts";

export const access = {
  clientNetwork,
  /** What happens at these times, in seconds: a wrong token is counted, or why an address is refused. */
  wrongTokens: (events: readonly [address: string, atS: number, isExceeded?: boolean][]) => {
    const failedLogins = new FailedLogins();
    return events.map(([address, atS, isExceeded = false]) => {
      try {
        failedLogins.check(address, atS * 1000);
      } catch (error) {
        return (error as { retryAfterS: number }).retryAfterS;
      }
      failedLogins.add(address, atS * 1000, isExceeded);
      return "counted";
    });
  },
};

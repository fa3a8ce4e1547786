/** Who may ask: tokens, their permissions, and the one account that exists. */

import { ApiError, success } from "./envelope.mjs";

export const ACCOUNT = "0123456789abcdef0123456789abcdef";
export const TOKEN = "standin-token-with-every-permission-0001";

const PERMISSIONS = ["d1", "vectorize", "ai"];
const ID = /^[0-9a-f]{32}$/;

export class Tokens {
  #permissions = new Map();

  constructor() {
    this.reset();
  }

  reset() {
    this.#permissions = new Map([[TOKEN, PERMISSIONS]]);
  }

  grant(token, permissions) {
    const unknown = permissions.filter((permission) => !PERMISSIONS.includes(permission));
    if (unknown.length > 0) throw new Error(`no permission is called ${unknown.join(", ")}`);
    this.#permissions.set(token, permissions);
  }

  routes() {
    const run = () =>
      success(
        { id: "f0e1d2c3b4a5968778695a4b3c2d1e0f", status: "active" },
        { messages: [{ code: 10000, message: "This API Token is valid and active", type: null }] },
      );
    return [{ name: "user.verify", method: "GET", path: "/user/tokens/verify", run }];
  }

  /** The token of a request, or the refusal that its header earns. */
  authenticate({ authorization }, isVerify) {
    if (authorization === undefined) {
      throw new ApiError(400, 9106, "Missing X-Auth-Key, X-Auth-Email or Authorization headers");
    }
    const token = /^Bearer ([\x21-\x7e]+)$/.exec(authorization)?.[1];
    if (!token) {
      throw new ApiError(400, 6003, "Invalid request headers", {
        chain: [{ code: 6111, message: "Invalid format for Authorization header" }],
      });
    }
    if (this.#permissions.has(token)) return token;
    if (isVerify) throw new ApiError(401, 1000, "Invalid API Token");
    throw new ApiError(401, 10000, "Authentication error");
  }

  /** Refuses a token without the service's permission, and an account that is not the token's. */
  authorize(token, service, account, path) {
    if (account === undefined) return;
    if (!ID.test(account)) {
      throw new ApiError(
        404,
        7003,
        `Could not route to ${path}, perhaps your object identifier is invalid?`,
      );
    }
    if (account !== ACCOUNT && service === "d1") {
      throw new ApiError(
        403,
        7403,
        "The given account is not valid or is not authorized to access this service",
      );
    }
    if (account !== ACCOUNT || !this.#permissions.get(token).includes(service)) {
      // the same answer as to a wrong token
      throw new ApiError(service === "vectorize" ? 403 : 401, 10000, "Authentication error");
    }
  }
}

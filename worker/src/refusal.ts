/** Why a request is not answered, with the status that says whose fault it is, and what to do. */

export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly error: string,
    readonly remedy = "",
  ) {
    super([error, remedy].filter(Boolean).join(" "));
  }
}

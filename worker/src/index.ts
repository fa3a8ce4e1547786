/** Who asks what, at the edge? */

import { Refusal } from "./refusal.ts";
import { shell } from "./shell.ts";

export default shell(async () => {
  throw new Refusal(503, "TEMP");
});

/** Who asks what, at the edge? */

import { answer } from "./api/answer.ts";
import { shell } from "./shell.ts";

export default shell(answer);

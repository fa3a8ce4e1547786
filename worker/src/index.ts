/** Who asks what, at the edge? */

import { answerRequest } from "./api/answer.ts";
import { createApp } from "./shell.ts";

export default createApp(answerRequest);

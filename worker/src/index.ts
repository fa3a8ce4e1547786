/** Who asks what, at the edge? */

import { answerRequest } from "./api/endpoints.ts";
import { createApp } from "./app.ts";

export default createApp(answerRequest);

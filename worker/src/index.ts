/** The Worker: the search behind the HTTP app. */

import { answerRequest } from "./api/endpoints.ts";
import { createApp } from "./app.ts";

export default createApp(answerRequest);

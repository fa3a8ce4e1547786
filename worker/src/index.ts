/** The Worker: the search behind the HTTP app. */

import modelFile from "./static_model.bin";

import { answerRequest } from "./api/endpoints.ts";
import { createApp } from "./app.ts";
import { setModelFile } from "./bindings/static_model.ts";

setModelFile(modelFile);

export default createApp(answerRequest);

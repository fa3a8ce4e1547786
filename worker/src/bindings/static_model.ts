/** The static model, whose file lies beside the built Worker. */

import { queryVector, readModel } from "../../../src/feeder/embedding/static_query.mjs";
import { constants } from "../../build/worker_data.json";

/** It changes when the model is trained again. */
const { STATIC_MODEL_NAME } = constants.embedding;

let file: ArrayBuffer | null = null;
let model: ReturnType<typeof readModel> | null = null;

/** Sets the content of the model's file, which the first query reads. */
export function setModelFile(content: ArrayBuffer): void {
  file = content;
  model = null;
}

/** True if the Worker was built with the model of this name. */
export function isStaticModel(name: string): boolean {
  return file !== null && name === STATIC_MODEL_NAME;
}

/** The unit vector of a query; zeros if it has no word that the model knows. */
export function embedWithStaticModel(text: string): readonly number[] {
  model ??= readModel(file!);
  return queryVector(text, model);
}

/** The numbers of a vector. */
export function staticDimensions(): number {
  model ??= readModel(file!);
  return model.dimensions;
}

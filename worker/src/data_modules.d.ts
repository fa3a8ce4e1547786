/** Files that wrangler uploads beside the Worker. */
declare module "*.bin" {
  const content: ArrayBuffer;
  export default content;
}

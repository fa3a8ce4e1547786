/** What each embedding model of Workers AI takes and gives. */

// How many texts embeddinggemma takes is not documented.
export const MODELS = {
  "@cf/baai/bge-m3": { dimensions: 1024, tokens: 8192, texts: 100, truncates: true },
  "@cf/qwen/qwen3-embedding-0.6b": {
    dimensions: 1024,
    tokens: 8192,
    texts: 32,
    instruction: "Given a web search query, retrieve relevant passages that answer the query",
  },
  "@cf/google/embeddinggemma-300m": { dimensions: 768, tokens: 2048, texts: 100 },
  "@cf/baai/bge-small-en-v1.5": { dimensions: 384, tokens: 512, texts: 100 },
  "@cf/baai/bge-base-en-v1.5": { dimensions: 768, tokens: 512, texts: 100 },
  "@cf/baai/bge-large-en-v1.5": { dimensions: 1024, tokens: 512, texts: 100 },
};

/** Those that answer in words. */
export const TEXT_MODELS = new Set(["@cf/meta/llama-3.1-8b-instruct-fp8-fast"]);

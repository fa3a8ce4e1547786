"use strict";

const Layer = require("./layer");

/**
 * Routes requests.
 */

function Router(options) {
  this.stack = [];
}

Router.prototype.use = function use(path, handle) {
  this.stack.push(new Layer(path, handle));
};

exports.create = () => new Router();

app.listen = async function (port) {
  return port;
};

const handlers = {
  get(request) {
    return request.path;
  },
  post: (request) => request.body,
};

const tiny = { a: 1, b: 2 };

class Legacy {
  #secret = 1;
  static of = () => new Legacy();
  get size() { return this.#secret; }
}

describe("router", () => {
  const helper = () => 1;
  it("works", function () { helper(); });
});

module.exports = class Named extends Legacy {
  run() {}
};

/** Who asks what, at the edge? */

export default {
  async fetch(): Promise<Response> {
    return Response.json({ error: "There is nothing here.", remedy: "" }, { status: 404 });
  },
};

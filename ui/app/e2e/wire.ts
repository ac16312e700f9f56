// A connection to the program that can be cut, and led to another program.
import { createServer, connect, type Server, type Socket } from "node:net";

export class Wire {
  private server: Server | undefined;
  private sockets = new Set<Socket>();
  private port = 0;
  private to = 0;

  /** Leads to the program of a link, and returns the link that goes through here. */
  async lead(link: string): Promise<string> {
    const url = new URL(link);
    this.to = Number(url.port);
    if (!this.server) await this.join();
    url.port = String(this.port);
    return url.href;
  }

  /** Ends all connections, and refuses others. */
  async cut(): Promise<void> {
    const server = this.server;
    if (!server) return;
    this.server = undefined; // a connection that arrives from now on is ended in join
    const closed = new Promise((done) => server.close(done));
    for (const s of this.sockets) s.destroy();
    await closed;
  }

  /** Takes connections again, at the same address. */
  async join(): Promise<void> {
    const server = createServer((from) => {
      if (this.server !== server) return void from.destroy();
      const to = connect(this.to, "127.0.0.1");
      for (const [one, other] of [[from, to], [to, from]] as const) {
        this.sockets.add(one);
        one.pipe(other);
        one.on("error", () => other.destroy());
        one.on("close", () => (this.sockets.delete(one), other.destroy()));
      }
    });
    this.server = server;
    await new Promise<void>((done) => server.listen(this.port, "127.0.0.1", done));
    this.port = (server.address() as { port: number }).port;
  }
}

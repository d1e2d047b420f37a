import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/*
 * A client that sends `Expect: 100-continue` holds its body back until it is asked for it (RFC 9110, 10.1.1). Node asks
 * at once; here the body reader asks, so that a body which is refused for its token or its size is never sent.
 */

const waiting = new WeakMap<object, ServerResponse>();

export function holdExpectedBodies(server: Server): void {
  /* Node would refuse other expectations by itself, without a body; `hasUnknownExpectation` does it with one. */
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, response);
    server.emit('request', request, response);
  });
}

/** Tells a waiting client to send its body now. */
export function askForBody(request: object): void {
  const response = waiting.get(request);
  if (response === undefined) return;
  waiting.delete(request);
  if (!response.headersSent) response.writeContinue();
}

/** True while the client still holds its body back: it may leave it out, so the connection cannot be used again. */
export function isBodyHeldBack(request: object): boolean {
  return waiting.has(request);
}

/** RFC 9110 knows one expectation; HTTP/1.0 knows none and ignores the header. */
export function hasUnknownExpectation(request: IncomingMessage): boolean {
  const { expect } = request.headers;
  return expect !== undefined && request.httpVersion === '1.1' && !/^100-continue$/i.test(expect);
}

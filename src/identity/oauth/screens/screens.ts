import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../../platform/deps.ts';
import type { RequestParts } from '../authorize/consent.ts';
import type { VisitOptions } from '../authorize/visit.ts';
import type { SettledForm } from './limits.ts';

/** A screen to be shown; what its template needs beside what all of them get. */
export interface ShownScreen {
  template: 'login' | 'verify' | 'signup' | 'consent';
  title: string;
  status?: number;
  /** With 429: until a code can be asked for again. */
  retryAfterSeconds?: number | undefined;
  values?: Record<string, unknown>;
}

/** Result of a form: another address, or a screen; and a message that goes out with it. */
export type NextScreen = ({ to: string } | ShownScreen) & SettledForm;

/** What the screens work with. */
export interface Screens {
  deps: Deps;
  /** In front of every screen's path: `/auth`. */
  path: string;
  addressOf(screen: string, request: { id: string }): string;
  /**
   * Opens the request of this visit, lets `work` decide, and answers after the commit: a browser that is told to go on
   * must find what was written.
   */
  answer(
    request: FastifyRequest,
    reply: FastifyReply,
    options: VisitOptions,
    work: (parts: RequestParts) => Promise<NextScreen>,
  ): Promise<FastifyReply>;
}

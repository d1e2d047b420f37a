import { describe, expect, test } from 'vitest';
import { BodyRoom, type RoomShare } from '../../../src/platform/body/room.ts';

const MAX = 1_000_000;

/** A body of this holder that has taken so many bytes, or waits for them. */
async function take(room: BodyRoom, holder: string, bytes: number): Promise<RoomShare> {
  const share = room.share(holder);
  await share.cover(bytes, bytes);
  return share;
}

describe('the room for bodies', () => {
  test('counts bytes, not requests', async () => {
    const room = new BodyRoom(100);
    await Promise.all(Array.from({ length: 100 }, (_, index) => take(room, `org_${index}`, 1)));
    expect(room.bytesTaken).toBe(100);
  });

  test('one holder gets a quarter of it, whatever it asks for, and the others their room at once', async () => {
    const room = new BodyRoom(100, { waitMilliseconds: 20 });
    await Promise.all(Array.from({ length: 5 }, () => take(room, 'greedy', 5)));
    const refused = Promise.all(
      [1, 2].map(() => expect(take(room, 'greedy', 1)).rejects.toMatchObject({ status: 429 })),
    );
    let hasRefused = false;
    void refused.then(() => {
      hasRefused = true;
    });
    await take(room, 'other', 25);
    expect(hasRefused).toBe(false);
    await refused;
    expect(room.bytesTaken).toBe(50);
  });

  test('what a holder has under way beyond two quarters is refused before it is read, and nobody else hears of it', () => {
    const room = new BodyRoom(400);
    const shares = [room.share('greedy', 150), room.share('greedy', 50)];
    expect(() => room.share('greedy', 1)).toThrow(
      expect.objectContaining({ status: 429, headers: { 'retry-after': '1' } }),
    );
    expect(room.share('other', 150).bytes).toBe(0);
    for (const share of shares) share.release();
    for (const share of shares) share.release();
    /* Alone it may be larger than both: its own limit of bytes holds it. */
    const large = room.share('greedy', 300);
    large.release();
    expect(room.share('greedy', 200).bytes).toBe(0);
  });

  test('lets waiters in by turn, as soon as there is room', async () => {
    const room = new BodyRoom(100);
    const order: string[] = [];
    const first = await take(room, 'a', 80);
    const large = take(room, 'b', 90).then(() => order.push('large'));
    const small = take(room, 'c', 10).then(() => order.push('small'));
    expect(room.bytesTaken).toBe(80);
    first.release();
    await Promise.all([large, small]);
    expect(order).toEqual(['large', 'small']);
    expect(room.bytesTaken).toBe(100);
  });

  test('who is in already grows before anybody new comes in', async () => {
    const room = new BodyRoom(100, { stepBytes: 10 });
    const share = await take(room, 'a', 50);
    const two = await take(room, 'b', 50);
    const order: string[] = [];
    const newcomer = take(room, 'c', 10).then(() => order.push('newcomer'));
    const grown = Promise.resolve(share.cover(51, MAX)).then(() => order.push('grown'));
    two.release();
    await Promise.all([newcomer, grown]);
    expect(order).toEqual(['grown', 'newcomer']);
    expect(room.bytesTaken).toBe(70);
  });

  test('growing inside what is taken waits for nothing, beyond it whole steps are taken, and none past the end', () => {
    const room = new BodyRoom(400, { stepBytes: 10 });
    const share = room.share('a');
    expect(share.cover(10, 33)).toBeUndefined();
    expect(share.cover(10, 33)).toBeUndefined();
    expect(share.cover(11, 33)).toBeUndefined();
    expect(room.bytesTaken).toBe(20);
    expect(share.cover(31, 33)).toBeUndefined();
    expect(room.bytesTaken).toBe(33);
    share.release();
    share.release();
    expect(room.bytesTaken).toBe(0);
  });

  test('a wait that takes too long is 503, and those behind it get their turn', async () => {
    const room = new BodyRoom(100, { waitMilliseconds: 20 });
    const holder = await take(room, 'a', 50);
    const tooLarge = take(room, 'b', 60);
    const behind = take(room, 'c', 20);
    await expect(tooLarge).rejects.toMatchObject({ status: 503, code: 'INTERNAL_SERVER_ERROR' });
    await behind;
    expect(room.bytesTaken).toBe(70);
    holder.release();
  });

  test('a body may wait so long in all, not so long for each of its steps', async () => {
    const room = new BodyRoom(100, { waitMilliseconds: 100, stepBytes: 1 });
    const body = await take(room, 'a', 50);
    let other = await take(room, 'b', 50);
    let steps = 0;
    const growing = async () => {
      for (; steps < 20; steps += 1) {
        setTimeout(() => {
          other.release();
          other = room.share('b');
          void other.cover(100 - room.bytesTaken, MAX);
        }, 30);
        await body.cover(body.bytes + 1, MAX);
      }
    };
    await expect(growing()).rejects.toMatchObject({ status: 503 });
    expect(steps).toBeLessThan(5);
  });

  test('when all bodies inside wait for more, the smallest gives up at once for the others', async () => {
    const room = new BodyRoom(400, { stepBytes: 10, waitMilliseconds: 60_000 });
    const large = await take(room, 'a', 60);
    const small = await take(room, 'a', 40);
    const grown = large.cover(70, MAX);
    const refused = Promise.resolve(small.cover(50, MAX)).catch((error: unknown) => {
      small.release();
      throw error;
    });
    await expect(refused).rejects.toMatchObject({ status: 429 });
    await grown;
    expect(room.bytesTaken).toBe(70);
  });

  test('room given back while its owner still waits for more is not lost', async () => {
    const room = new BodyRoom(100, { stepBytes: 10 });
    const holder = await take(room, 'a', 60);
    const gone = await take(room, 'b', 40);
    const wait = gone.cover(41, MAX);
    gone.release();
    await wait;
    expect(room.bytesTaken).toBe(60);
    holder.release();
    expect(room.bytesTaken).toBe(0);
  });

  test('a body larger than the whole room goes in alone', async () => {
    const room = new BodyRoom(100);
    const large = await take(room, 'a', 500);
    const next = take(room, 'b', 1);
    large.release();
    await next;
    expect(room.bytesTaken).toBe(1);
  });
});

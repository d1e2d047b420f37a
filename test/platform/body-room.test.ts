import { describe, expect, test } from 'vitest';
import { BodyRoom } from '../../src/platform/body-room.ts';

describe('the room for bodies', () => {
  test('counts bytes, not requests', async () => {
    const room = new BodyRoom(100);
    await Promise.all(Array.from({ length: 100 }, () => room.enter(1)));
    expect(room.bytesTaken).toBe(100);
  });

  test('lets waiters in by turn, as soon as there is room', async () => {
    const room = new BodyRoom(100);
    const order: string[] = [];
    const first = await room.enter(80);
    const large = room.enter(90).then((share) => {
      order.push('large');
      return share;
    });
    const small = room.enter(10).then((share) => {
      order.push('small');
      return share;
    });
    expect(room.bytesTaken).toBe(80);
    first.release();
    await large;
    await small;
    expect(order).toEqual(['large', 'small']);
    expect(room.bytesTaken).toBe(100);
  });

  test('who is in already grows before anybody new comes in', async () => {
    const room = new BodyRoom(100, { stepBytes: 10 });
    const one = await room.enter(50);
    const two = await room.enter(50);
    const order: string[] = [];
    const newcomer = room.enter(10).then((share) => {
      order.push('newcomer');
      return share;
    });
    const grown = Promise.resolve(one.cover(51)).then(() => order.push('grown'));
    two.release();
    await Promise.all([newcomer, grown]);
    expect(order).toEqual(['grown', 'newcomer']);
    expect(room.bytesTaken).toBe(70);
  });

  test('growing inside what is taken waits for nothing, beyond it whole steps are taken', async () => {
    const room = new BodyRoom(100, { stepBytes: 10 });
    const share = await room.enter(10);
    expect(share.cover(10)).toBeUndefined();
    expect(share.cover(11)).toBeUndefined();
    expect(room.bytesTaken).toBe(20);
    expect(share.cover(35)).toBeUndefined();
    expect(room.bytesTaken).toBe(40);
    share.release();
    share.release();
    expect(room.bytesTaken).toBe(0);
  });

  test('a wait that takes too long is 503, and those behind it get their turn', async () => {
    const room = new BodyRoom(100, { waitMilliseconds: 20 });
    const holder = await room.enter(50);
    const tooLarge = room.enter(60);
    const behind = room.enter(40);
    await expect(tooLarge).rejects.toMatchObject({ status: 503, code: 'INTERNAL_SERVER_ERROR' });
    await behind;
    expect(room.bytesTaken).toBe(90);
    holder.release();
  });

  test('room given back while its owner still waits for more is not lost', async () => {
    const room = new BodyRoom(100, { stepBytes: 10 });
    const holder = await room.enter(60);
    const gone = await room.enter(40);
    const wait = gone.cover(41);
    gone.release();
    await wait;
    expect(room.bytesTaken).toBe(60);
    holder.release();
    expect(room.bytesTaken).toBe(0);
  });

  test('a body larger than the whole room goes in alone', async () => {
    const room = new BodyRoom(100);
    const large = await room.enter(500);
    const next = room.enter(1);
    large.release();
    await next;
    expect(room.bytesTaken).toBe(1);
  });
});

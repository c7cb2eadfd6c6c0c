import { expect, test } from 'vitest'
import { frameLimits, withFrameTimes } from '../../../../../stages/model/backends/frames/frame-arguments.js'
import { parseModelArgs } from '../../../../../stages/model/model-args.js'
import { findBackend } from '../../../../../stages/model/registry.js'

test.each([
  ['openai', { nframes: 4 }, 'pts'],
  ['openai', { fps: 1 }, 'pts'],
  ['openai', { message_format: 'qwen3_vl' }, 'pts'],
  ['openai', { nframes: 4, frame_times: 'rate' }, 'rate'],
  // Without frames, the argument is in no key.
  ['openai', {}, undefined],
  ['dummy', {}, undefined],
])('frames of %s with %j have the times %s; parity keeps times by rate', async (id, given, times) => {
  const backend = await findBackend(id, [])
  const args = parseModelArgs(backend, id === 'openai' ? { model: 'm', ...given } : given)
  expect(withFrameTimes(args, { isByRate: false })['frame_times']).toBe(times)
  expect(withFrameTimes(args, { isByRate: true })).toEqual(args)
})

test('the shorter of the two timeouts applies and is named', () => {
  const limits = { decode_timeout: 600, decode_memory_mb: 2048, decode_max_pixels: 36_000_000 }
  expect(frameLimits({ ...limits, timeout: 2 })).toMatchObject({ seconds: 2, timeArgument: 'timeout' })
  expect(frameLimits({ ...limits, timeout: 900 })).toMatchObject({ seconds: 600, timeArgument: 'decode_timeout' })
  expect(frameLimits(limits)).toEqual({
    seconds: 600,
    memoryMb: 2048,
    pixels: 36_000_000,
    timeArgument: 'decode_timeout',
  })
})

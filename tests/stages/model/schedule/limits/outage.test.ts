import { expect, test } from 'vitest'
import { Outage } from '../../../../../stages/model/schedule/limits/outage.js'
import type { Send } from '../../../../../stages/model/schedule/limits/sends.js'

const send = (at: number): Send => ({ at, level: 1, fate: 'open' })

test('doubles the waits between probes up to five seconds', () => {
  const outage = new Outage()
  let now = 0
  outage.met(now, send(now), 'nobody listens')
  const waits: number[] = []
  for (let probes = 0; probes < 8; probes += 1) {
    const wait = outage.waitMs(now)
    waits.push(wait)
    now += wait
    const probe = send(now)
    outage.sent(probe)
    expect(outage.waitMs(now)).toBe(Infinity)
    outage.met(now, probe, 'nobody listens')
  }
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000])
})

import { expect, test } from 'vitest'
import { planPower } from '../../../../src/reading/planning/plan-power.js'
import { appScene } from '../http/scene.js'

test('plans from assumptions, and reports invalid ones', async () => {
  const { request } = await appScene({ viewer: true })
  const planned = await request('/view/power?effect=0.02&std=0.4&docs=1000&clusterSize=4&icc=0.3')
  const assumed = { effect: 0.02, stdA: 0.4, stdB: 0.4, docs: 1000, clusterSize: 4, icc: 0.3 }
  expect(await planned.json()).toEqual({ plan: planPower(assumed) })
  const refused = await request('/view/power?correlation=2')
  expect(refused.status).toBe(422)
  expect(await refused.text()).toContain('correlation')
})

test('stability requires a run of the store', async () => {
  const { request } = await appScene({ viewer: true })
  expect((await request('/view/runs/no-such-run/stability')).status).toBe(404)
})

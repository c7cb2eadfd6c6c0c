import { describe, expect, test } from 'vitest'
import type { Lease, Store } from '../../../cache/store.js'
import { findAnswerName, listSteps, startState, storeRules, takeStep, type State, type Step } from '../lease-model.js'
import { seededRandom } from '../seeded.js'
import { answer, question, testRun } from '../store.js'
import { textsOf, timeout, wholeRun } from './scene.js'
import type { StoreWorld } from './world.js'

const size = { workers: 3, items: 3 }
const traces = 25

/** Tests that a store decides what the model decides, whose every order of steps `lease-protocol.test.ts` explores. */
export function describeLeaseTraces(makeWorld: () => Promise<StoreWorld>): void {
  describe('leases', () => {
    test(`behave like the model in ${traces} random orders of steps with killed and silent processes`, async () => {
      const world = await makeWorld()
      const processes = new Map<number, { readonly name: string; readonly store: Store }>()
      const random = seededRandom(11)
      let started = 0
      const replaced: Store[] = []
      const replaceProcess = async (slot: number): Promise<void> => {
        const old = processes.get(slot)
        if (old !== undefined) replaced.push(old.store)
        const name = `process ${++started}`
        processes.set(slot, { name, store: await world.open(name) })
      }
      for (let slot = 0; slot < size.workers; slot++) await replaceProcess(slot)
      for (let trace = 0; trace < traces; trace++) {
        const { store } = processes.get(0)!
        const run = await testRun(store, [`trace ${trace}`])
        const docs = Array.from({ length: size.items }, (_, item) => question(item, `trace ${trace}, item ${item}`))
        await store.docs.commit(run, 0, docs, true)
        const leases = new Map<string, Lease>()

        const replay = async (before: State, after: State, step: Step): Promise<void> => {
          const { deed, slot, item } = step
          const { name, store } = processes.get(slot)!
          const key = `${slot} ${item}`
          // A process that was silent cannot be told from one that ended. Its handle stays open, and writes late.
          if ((deed === 'kill' || deed === 'silence') && !before.workers[slot]!.isSilent) await world.kill(name)
          if (deed === 'kill') await replaceProcess(slot)
          if (item === -1) return
          if (deed === 'lease') {
            const isMeant = (_: number, doc: string): boolean => doc === docs[item]!.id
            const found = await store.requests.lease(run, { ...wholeRun, isMeant })
            expect(found.leases).toHaveLength(1)
            leases.set(key, found.leases[0]!)
            return
          }
          const lease = leases.get(key)!
          if (deed === 'check')
            expect(await store.requests.holds([lease])).toEqual([after.workers[slot]!.holds[item] !== undefined])
          if (deed === 'fail') await store.requests.commitFailure(lease, timeout)
          if (deed === 'release') await store.requests.release([lease])
          if (deed === 'answer') {
            const isFirst = before.items[item]!.answer === undefined
            expect(await answer(store, lease, findAnswerName(before, step))).toBe(isFirst)
          }
        }

        let state = startState(size.workers, size.items, { ahead: 3, kill: 1, silence: 1, fail: 2, release: 1 })
        for (let steps = chooseSteps(state); steps.length > 0; steps = chooseSteps(state)) {
          const step = steps[Math.floor(random() * steps.length)]!
          const next = takeStep(state, step, storeRules)
          await replay(state, next, step)
          state = next
        }
        const last = processes.get(0)!.store
        expect(await textsOf(last, run)).toEqual(state.items.map(({ answer }) => answer))
        for (const [slot, { isSilent }] of state.workers.entries()) if (isSilent) await replaceProcess(slot)
        // A server has few connections.
        for (const old of replaced.splice(0)) await old.close()
      }
    })
  })
}

/** Lists the steps that a store can be led through. Whoever was taken for dead is replaced, and does not wake. */
const chooseSteps = (state: State): readonly Step[] => {
  const isSilent = ({ slot }: Step): boolean => state.workers[slot]?.isSilent === true
  const spare = { ...state, left: { ...state.left, kill: Math.max(state.left.kill, 1) } }
  return listSteps(spare, storeRules).filter(
    step => step.deed !== 'wake' && (step.deed !== 'kill' || state.left.kill > 0 || isSilent(step)),
  )
}

import { expect, test } from 'vitest'
import { exploreLeases } from '../support/explore-leases.js'
import { startState, storeRules, type Rules, type State } from '../support/lease-model.js'

type Limits = Parameters<typeof startState>[2]

/** The possible faults, one of each named kind. */
const limits = (ahead: number, ...faults: readonly (keyof State['left'])[]): Limits => ({
  ...{ kill: 0, silence: 0, fail: 0, release: 0, ahead },
  ...Object.fromEntries(faults.map(fault => [fault, faults.filter(other => other === fault).length])),
})

test.each([
  { items: 3, faults: limits(1, 'kill', 'silence') },
  { items: 3, faults: limits(1, 'silence', 'fail') },
  { items: 3, faults: limits(1, 'kill', 'fail', 'release') },
  { items: 3, faults: limits(3, 'silence') },
  { items: 2, faults: limits(2, 'kill', 'silence', 'fail', 'release') },
])('leases hold their invariants in every order of steps of three processes on $items items, with $faults', given => {
  const found = exploreLeases(startState(3, given.items, given.faults), storeRules)
  expect(found.mistake).toBeUndefined()
  expect(found.states).toBeGreaterThan(1_000)
  expect(found.ends).toBeGreaterThan(0)
})

const broken: readonly { readonly name: string; readonly rules: Partial<Rules>; readonly what: string }[] = [
  {
    name: 'late writers release leases of others (no fencing)',
    rules: { isHeld: lease => lease !== undefined },
    what: 'an item was asked again without a fault',
  },
  {
    name: 'processes send without asking whether their lease is held',
    rules: { checks: false },
    what: 'an item was asked again without a fault',
  },
  {
    name: 'the last answer wins',
    rules: { keepAnswer: (_, arrived) => arrived },
    what: 'a stored answer was lost or replaced',
  },
  {
    name: 'leases of killed and silent processes are never free',
    rules: { isFree: lease => lease === undefined },
    what: 'nothing is left to do, and an item has no answer',
  },
  {
    name: 'leases of living processes are free',
    rules: { isFree: () => true },
    what: 'an item was asked again without a fault',
  },
]

test.each(broken)('the search finds the mistake if $name', ({ rules, what }) => {
  const start = startState(3, 1, limits(1, 'kill', 'silence', 'fail'))
  const { mistake } = exploreLeases(start, { ...storeRules, ...rules })
  expect(mistake?.what).toBe(what)
  expect(mistake?.steps.length).toBeGreaterThan(1)
})

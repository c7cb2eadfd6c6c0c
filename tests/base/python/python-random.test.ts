import { describe, expect, it } from 'vitest'
import { pythonRandom } from '../../../base/python/python-random.js'

const ten = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]

describe("draws of Python's generator", () => {
  it.each([
    { seed: 0, shuffled: [7, 8, 1, 5, 3, 4, 2, 0, 9, 6], below: [2, 1, 1, 2, 1, 0], random: 0.6183689966753316 },
    { seed: 42, shuffled: [7, 3, 2, 8, 5, 6, 9, 4, 0, 1], below: [3, 0, 0, 0, 1, 1], random: 0.5053552881033624 },
    { seed: 1234, shuffled: [2, 8, 3, 5, 6, 4, 9, 0, 1, 7], below: [1, 0, 0, 0, 2, 3], random: 0.6158156951036152 },
  ])('equal those of CPython 3.11 with the seed $seed', ({ seed, shuffled, below, random }) => {
    const generator = pythonRandom(seed)
    expect(generator.shuffled(ten)).toEqual(shuffled)
    expect([...ten.slice(0, 6)].map(() => generator.below(4))).toEqual(below)
    expect(generator.random()).toBe(random)
  })

  it('continue after the first 624 words of the state are used up', () => {
    const generator = pythonRandom(7)
    for (let i = 0; i < 700; i++) generator.random()
    expect(generator.random()).toBe(0.33805157034346633)
  })

  it('are normally distributed in pairs', () => {
    const generator = pythonRandom(42)
    const drawn = [generator.gauss(), generator.gauss(), generator.gauss()]
    expect(drawn).toEqual([-0.14409032957792836, -0.1729036003315193, -0.11131586156766246])
    expect(generator.random()).toBe(0.7364712141640124)
  })
})

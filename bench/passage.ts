import { seededRandom } from './seeded-random.js'

const words = (
  'the of a picture shows red blue green two three people near river old city street while under bright light ' +
  'some signs say open closed north south when train leaves station every hour except Sunday and holidays'
).split(' ')

/** Returns a text of about 600 characters that differs for each number. */
export function passage(number: number): string {
  const random = seededRandom(number + 1)
  const text = Array.from({ length: 110 }, () => words[Math.floor(random() * words.length)] ?? '')
  return `Passage ${number}: ${text.join(' ')}.`
}

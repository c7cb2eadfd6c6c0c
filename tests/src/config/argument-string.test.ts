import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseArguments, typedArguments, withLineBreaks } from '../../../src/config/argument-string.js'

const parse = (...texts: string[]) => parseArguments(texts, '--model-args')

test('keeps values as texts, so that a name of digits stays a name', () => {
  expect(parse('model=007,base_url=http://h:80/v1?a=b, dtype = int8 ')).toEqual({
    model: '007',
    base_url: 'http://h:80/v1?a=b',
    dtype: 'int8',
  })
})

test('does not split at commas in quotes or brackets', () => {
  expect(parse('a="x,y",b=[1,2],c={"k":"v,w"},d=z')).toEqual({ a: 'x,y', b: '[1,2]', c: '{"k":"v,w"}', d: 'z' })
})

test('a backslash escapes a quote', () => {
  expect(parse('a=\\",b=1')).toEqual({ a: '\\"', b: '1' })
})

test('treats an apostrophe within a word as a letter', () => {
  expect(parse("a=it's,b=1")).toEqual({ a: "it's", b: '1' })
})

test('keeps the types of a JSON object', () => {
  expect(parse('{"a":1,"b":[true]}', 'c=x')).toEqual({ a: 1, b: [true], c: 'x' })
})

test('reads an empty text as no arguments', () => {
  expect(parse('')).toEqual({})
})

test.each([
  ['a=1,a=2', '--model-args: "a" is given twice'],
  ['a', '--model-args: expected name=value, given "a"'],
  ['=1', '--model-args: expected name=value, given "=…"'],
  ['a=1,,b=2', '--model-args: expected name=value, given ""'],
  ['a="x', '--model-args: a " is not closed'],
  ['a=[1', '--model-args: brackets are not balanced'],
  ['{"a":', '--model-args: begins like a JSON object, but is none'],
])('rejects %s', (text, message) => {
  expect(() => parse(text)).toThrow(message)
})

test('rejects a key that two flags give', () => {
  expect(() => parse('a=1', 'a=1')).toThrow('"a" is given twice')
})

test('reads any plain names and values back unchanged', () => {
  const name = fc.stringMatching(/^[a-z]\w{0,8}$/)
  const value = fc.stringMatching(/^[\w./:@ -]{0,12}$/).map(text => text.trim())
  fc.assert(
    fc.property(fc.dictionary(name, value), given => {
      const text = Object.entries(given)
        .map(([key, each]) => `${key}=${each}`)
        .join(',')
      expect(parse(text)).toEqual({ ...given })
    }),
  )
})

test('reads any JSON object back unchanged', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z]\w{0,8}$/), fc.jsonValue()), given => {
      expect(parse(JSON.stringify(given))).toEqual(JSON.parse(JSON.stringify(given)))
    }),
  )
})

test('converts generation kwargs to the type that they spell', () => {
  const given = parse('a=16,b=0.5,c=-1e-3,d=True,e=false,f=["\\n","."],g=greedy,h=1.2.3,i=1e999')
  expect(typedArguments(given, '--gen-kwargs')).toEqual({
    a: 16,
    b: 0.5,
    c: -0.001,
    d: true,
    e: false,
    f: ['\n', '.'],
    g: 'greedy',
    h: '1.2.3',
    i: '1e999',
  })
})

test('rejects a list that is not JSON', () => {
  expect(() => typedArguments({ until: '[a]' }, '--gen-kwargs')).toThrow('--gen-kwargs: until begins like JSON')
})

test('replaces escaped line breaks in stop sequences, and in no other text', () => {
  const given = parseArguments([String.raw`until=\n\nQ:,stop=\t,prompt=a\nb,list=["\n"]`], '--gen-kwargs')
  expect(withLineBreaks(typedArguments(given, '--gen-kwargs'))).toEqual({
    until: '\n\nQ:',
    stop: '\t',
    prompt: String.raw`a\nb`,
    list: ['\n'],
  })
})

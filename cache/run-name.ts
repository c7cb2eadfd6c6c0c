import type { RunKey } from './digest.js'

const adjectives =
  'able amber ample bold brave bright brisk broad calm clear clever crisp deep eager early even fair fast fine firm fond fresh gentle glad golden grand green happy hardy honest humble keen kind late light lively lucky mellow merry mild misty noble open patient plain polite prime proud quick quiet rapid ready robust round royal sharp silent silver simple sleek smart smooth snowy solid sound spry steady still stout sunny swift tidy tough true vivid warm wide wise witty young zesty'.split(
    ' ',
  )
const nouns =
  'adder auk badger bear beaver bison bittern boar bream carp cat civet cod coot crane crow curlew deer dingo dove duck eagle eel egret elk falcon ferret finch fox frog gecko gnu goose grebe gull hare hawk heron hornet horse ibex ibis jackal jay kite koala lark lemur linnet lion lizard llama loon lynx magpie marten mole moose moth newt ocelot orca osprey otter owl panda perch pike plover pony puffin quail rabbit raven robin rook salmon seal shrew skua snipe sparrow stoat stork swan swift tapir teal tern thrush tiger toad trout viper vole walrus weasel whale wolf wren yak zebra'.split(
    ' ',
  )

/** Makes a name that is easy to say and the same in every store: two words and the id's last four characters. */
export function runName(id: RunKey): string {
  const number = parseInt(id.slice(-12, -4), 16)
  const adjective = adjectives[number % adjectives.length] ?? ''
  const noun = nouns[Math.floor(number / adjectives.length) % nouns.length] ?? ''
  return `${adjective}-${noun}-${id.slice(-4)}`
}

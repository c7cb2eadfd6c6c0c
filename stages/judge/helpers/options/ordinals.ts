/** Ordinal numbers in several languages. */

/** The words of an ordinal number in several languages, in the order of the numbers. */
export const ordinals: readonly string[] = [
  'first|1st|erste[nrs]?|premi[èe]re?|primer[ao]?|primeir[ao]|prim[ao]|перв\\p{L}+|第\\s?[一1]|[一1]番目?|첫\\s?번?째?|1\\s?번째?',
  'second|2nd|zweite[nrs]?|deuxième|seconde|segund[ao]|second[ao]|втор\\p{L}+|第\\s?[二2]|[二2]番目?|두\\s?번째|2\\s?번째?',
  'third|3rd|dritte[nrs]?|troisième|tercer[ao]?|terceir[ao]|terz[ao]|трет\\p{L}+|第\\s?[三3]|[三3]番目?|세\\s?번째|3\\s?번째?',
  'fourth|4th|vierte[nrs]?|quatrième|cuart[ao]|quart[ao]|четв[её]рт\\p{L}+|第\\s?[四4]|[四4]番目?|네\\s?번째|4\\s?번째?',
  'fifth|5th|fünfte[nrs]?|cinquième|quint[ao]|пят\\p{L}+|第\\s?[五5]|[五5]番目?|다섯\\s?번째|5\\s?번째?',
  'sixth|6th|sechste[nrs]?|sixième|sext[ao]|sest[ao]|шест\\p{L}+|第\\s?[六6]|[六6]番目?|여섯\\s?번째|6\\s?번째?',
]

/** The ordinals from the second on, as alternatives of a pattern that ignores case. */
export const laterOrdinals = ordinals.slice(1).join('|')

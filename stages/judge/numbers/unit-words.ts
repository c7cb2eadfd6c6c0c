/** Letters that may touch a number without being part of a name: units, currencies, ordinals and counts. */
import { currencyCodes } from './currency.js'

const measured =
  'm|g|s|l|hz|w|wh|a|ah|v|va|j|n|nm|pa|bar|mol|b|ib|bps|bits?|bytes?|ev|cal|ohm|f|h|t|c|k|lx|lm|gy|sv|bq|rad|px|pixels?|eq|iu'
const otherUnits = [
  'in|inch(?:es)?|ft|feet|yds?|yards?|mi|miles?|mph|kph|kmh|kmph|mps|rpm|fps|ppm|ppb|bpm|dpi|ppi|psi|atm|mmhg|db[am]?|lbs?|oz|pts?|gal|qt|tsp|tbsp|cc|ha|acres?|tons?|tonnes?|sqft|sqm|carats?|ct|kt|deg|degrees?',
  'd|days?|wks?|weeks?|mo|months?|hrs?|hours?|mins?|minutes?|secs?|seconds?|y|yo|yrs?|years?|am|pm|uhr|std|sek|jahre?|tage?|grad|ans?|heures?|años?|días?|horas?',
  'º[cf]?|st|nd|rd|th|nds|ths|er|ers|[èe]re|[èe]me|[èe]mes|de|ste|x|times|fold|p|pcs?|pieces?|items?|people|persons?|units?|points?|stück|stk|mal|veces|fois',
  'bn|mn|mm|tn|cents?|pence|dollars?|bucks|euros?|pounds?|yuan|yen|won|kr|z[łl]|đ|lei|percent|pct|prozent',
].join('|')

/** Matches the letters of Latin script that touch a number, and in the group `unit` those that are a unit. */
export const touchingLetters = new RegExp(
  `(?:(?<unit>(?:(?:da|[kmcdhgtpnuµμ])?(?:${measured})|${otherUnits}|${currencyCodes})[23]?)(?![\\p{L}\\p{N}](?<=[\\p{Script=Latin}\\p{N}]))|\\p{Script=Latin}[\\p{Script=Latin}\\p{N}]*)`,
  'iuy',
)

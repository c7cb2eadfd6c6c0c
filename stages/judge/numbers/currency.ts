const letters = '\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}'
/** The codes of currencies, as alternatives of a pattern. */
export const currencyCodes =
  'USD|EUR|GBP|JPY|CNY|RMB|INR|CHF|AUD|CAD|NZD|HKD|SGD|TWD|KRW|BRL|MXN|RUB|TRY|ZAR|SEK|NOK|DKK|PLN|THB|VND|IDR|PHP|MYR|AED|SAR'

/**
 * The source of a pattern for a currency sign or code that touches a number, as in `USD100`, `Rs.100` and `US$100`.
 * It matches `No.` too, which is written in the same way. Use it with the flag `u`.
 */
export const currency = String.raw`(?:\p{Sc}|(?<![${letters}])(?:${currencyCodes}|Rs|Rp|RM|kr|Fr|US|HK|NT|[ACRS](?=\$)|(?:No|Nr|no|nr|ca)(?=\.))(?:\.|(?=[$\\]|$|\d)))`

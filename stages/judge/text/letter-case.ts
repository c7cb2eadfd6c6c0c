/** Whether a text has a cased letter and none that is small, as Python's `str.isupper()`. */
export const isUpper = (text: string): boolean => /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text)

/** Whether a text has a cased letter and none that is large, as Python's `str.islower()`. */
export const isLower = (text: string): boolean => /\p{Lowercase}/u.test(text) && !/[\p{Uppercase}\p{Lt}]/u.test(text)

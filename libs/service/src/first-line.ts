/** The first line of a text, such as the message of an error: at most 500 characters. */
export const firstLine = (text: string): string => text.trim().split('\n', 1).join().slice(0, 500);

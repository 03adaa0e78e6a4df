package tech.sluice.core

import tech.sluice.InternalSluiceApi

/** The text is not JSON, or has more levels than [parseJson] reads. */
@InternalSluiceApi
public class JsonException internal constructor(message: String) : Exception(message)

/**
 * Reads JSON (RFC 8259) strictly: nothing before or after the value, no comments, no trailing commas, no signs outside
 * of ASCII in numbers. Objects become maps in the order of their members (the last of one name counts), numbers become
 * Long or Double.
 */
@InternalSluiceApi
@Throws(JsonException::class)
public fun parseJson(text: String): Any? = JsonReader(text).read()

private const val MAX_LEVELS = 64

private class JsonReader(private val text: String) {
    private var at = 0

    fun read(): Any? {
        val value = value(0)
        skipSpace()
        if (at < text.length) fail("more than one value")
        return value
    }

    private fun value(level: Int): Any? {
        if (level > MAX_LEVELS) fail("too many levels")
        skipSpace()
        return when (peek()) {
            '{' -> members(level)
            '[' -> items(level)
            '"' -> string()
            't' -> word("true", true)
            'f' -> word("false", false)
            'n' -> word("null", null)
            else -> number()
        }
    }

    private fun members(level: Int): Map<String, Any?> {
        val members = LinkedHashMap<String, Any?>()
        at++
        skipSpace()
        if (take('}')) return members
        do {
            skipSpace()
            if (peek() != '"') fail("a name is missing")
            val name = string()
            skipSpace()
            if (!take(':')) fail("a colon is missing")
            members[name] = value(level + 1)
            skipSpace()
        } while (take(','))
        if (!take('}')) fail("an object has no end")
        return members
    }

    private fun items(level: Int): List<Any?> {
        val items = ArrayList<Any?>()
        at++
        skipSpace()
        if (take(']')) return items
        do {
            items += value(level + 1)
            skipSpace()
        } while (take(','))
        if (!take(']')) fail("a list has no end")
        return items
    }

    private fun string(): String {
        at++
        val read = StringBuilder()
        while (true) {
            val sign = next()
            when {
                sign == '"' -> return read.toString()
                sign == '\\' -> read.append(escaped())
                sign < ' ' -> fail("a control character")
                else -> read.append(sign)
            }
        }
    }

    private fun escaped(): Char =
        when (val sign = next()) {
            '"', '\\', '/' -> sign
            'b' -> '\b'
            'f' -> '\u000c'
            'n' -> '\n'
            'r' -> '\r'
            't' -> '\t'
            'u' -> unit()
            else -> fail("an unknown escape")
        }

    private fun unit(): Char {
        var code = 0
        repeat(4) {
            val digit = "0123456789abcdef".indexOf(next().lowercaseChar())
            if (digit < 0) fail("a bad escape")
            code = code * 16 + digit
        }
        return code.toChar()
    }

    private fun number(): Number {
        val start = at
        take('-')
        if (!take('0')) digits()
        val isWhole = peek() != '.' && peek() != 'e' && peek() != 'E'
        if (take('.')) digits()
        if (take('e') || take('E')) {
            if (!take('+')) take('-')
            digits()
        }
        val read = text.substring(start, at)
        return (if (isWhole) read.toLongOrNull() else null) ?: read.toDouble()
    }

    private fun digits() {
        val start = at
        while (peek() in '0'..'9') at++
        if (at == start) fail("no digit")
    }

    private fun <T> word(word: String, value: T): T {
        if (!text.startsWith(word, at)) fail("an unknown word")
        at += word.length
        return value
    }

    private fun skipSpace() {
        while (peek().let { it == ' ' || it == '\n' || it == '\r' || it == '\t' }) at++
    }

    /** The next character, U+0000 at the end. */
    private fun peek(): Char = if (at < text.length) text[at] else '\u0000'

    private fun next(): Char = if (at < text.length) text[at++] else fail("the end is missing")

    private fun take(sign: Char): Boolean {
        if (at >= text.length || text[at] != sign) return false
        at++
        return true
    }

    private fun fail(why: String): Nothing = throw JsonException("$why at $at")
}

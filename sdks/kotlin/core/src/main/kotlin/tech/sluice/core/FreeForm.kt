package tech.sluice.core

import java.net.URI
import java.net.URL
import java.util.Date
import java.util.UUID
import kotlin.math.abs

private const val MAX_ITEMS = 256
private const val MAX_MEMBERS = 256
private const val MAX_LEVELS = 8

/** Larger whole numbers are not exact. */
private const val LARGEST = 9_007_199_254_740_992.0

private const val BAD_NAME = "bad name"
private const val BAD_VALUE = "bad value"
private const val TOO_MUCH = "too many or too deep"

/** Stands for a value that is left out. */
private val nothing = Any()

/**
 * Copies free-form values without the parts that the service would drop (docs/api.md, "What is dropped"). The copy
 * holds only types of JSON, so that the caller may change the original afterwards.
 *
 * @param root name of the copied part in paths
 * @param areNamesFree true where the service takes any name
 * @param plain turns a platform's own type into maps and lists
 * @param leftOut gets each value that is left out
 */
internal class FreeForm(
    private val root: String,
    private val areNamesFree: Boolean,
    private val plain: (Any) -> Any,
    private val leftOut: (path: String, why: String) -> Unit,
) {
    private var members = 0

    /** A lower bound of the bytes of the copy: lists of lists would make a huge copy before it is measured. */
    private var bytes = 0

    /** @throws RuleException if a name breaks its rule, unless names are free, or if the copy is larger than a message */
    fun copyMap(map: Map<*, *>): Map<String, Any?> = copyObject(map, root, 1)

    private fun copyObject(map: Map<*, *>, path: String, depth: Int): Map<String, Any?> {
        val copy = LinkedHashMap<String, Any?>()
        for ((key, member) in map) {
            val name = key.toString()
            val memberPath = "$path.$name"
            if (!areNamesFree && !isPropertyName(name)) throw RuleException("$memberPath: $BAD_NAME")
            val parts = name.split('.')
            val level = depth + parts.size - 1
            val why =
                when {
                    "" in parts || !isStorable(name) -> BAD_NAME
                    level > MAX_LEVELS -> TOO_MUCH
                    ++members > MAX_MEMBERS -> TOO_MUCH
                    else -> null
                }
            if (why != null) {
                leftOut(memberPath, why)
                continue
            }
            val memberCopy = copyValue(member, memberPath, level)
            if (memberCopy !== nothing) copy[name] = memberCopy
        }
        return copy
    }

    private fun copyValue(original: Any?, path: String, depth: Int): Any? {
        val value = original?.let { jsonValueOf(plain(it)) }
        val why = whyNot(value, depth)
        bytes += if (value is String && why == null) value.length + 2 else 2
        if (bytes > MAX_MESSAGE_BYTES) throw RuleException("size breaks its rule")
        return when {
            why != null -> nothing.also { leftOut(path, why) }
            value is Map<*, *> -> copyObject(value, path, depth + 1)
            value is List<*> -> copyItems(value, path, depth)
            else -> value
        }
    }

    private fun copyItems(list: List<*>, path: String, depth: Int): List<Any?> =
        list.mapIndexed { index, item -> copyValue(item, "$path[$index]", depth + 1) }.filter { it !== nothing }

    private fun whyNot(value: Any?, depth: Int): String? =
        when (value) {
            null, is Boolean -> null
            is String -> if (isStorable(value)) null else BAD_VALUE
            // A Long next to the limit would be rounded to it.
            is Long -> if (value in -LARGEST.toLong()..LARGEST.toLong()) null else BAD_VALUE
            is Number -> if (abs(value.toDouble()) <= LARGEST) null else BAD_VALUE
            is Map<*, *> -> if (depth >= MAX_LEVELS) TOO_MUCH else null
            is List<*> -> if (depth >= MAX_LEVELS || value.size > MAX_ITEMS) TOO_MUCH else null
            else -> BAD_VALUE
        }
}

/** The value as a type of JSON; a value of an unknown type as it is. */
private fun jsonValueOf(value: Any): Any? =
    when (value) {
        is CharSequence, is Char, is UUID, is URI, is URL -> value.toString()
        is Enum<*> -> value.name
        is Date -> isoTimeOf(value.time) ?: value
        is Byte, is Short, is Int, is Long, is Float, is Double, is java.math.BigInteger, is java.math.BigDecimal -> value
        // A number of another class, an atomic one for example, may change or print itself in any way.
        is Number -> value.toDouble()
        is Iterable<*> -> value.take(MAX_ITEMS + 1)
        is Sequence<*> -> value.take(MAX_ITEMS + 1).toList()
        is Array<*> -> value.asList()
        is IntArray -> value.asList()
        is LongArray -> value.asList()
        is DoubleArray -> value.asList()
        is FloatArray -> value.asList()
        is BooleanArray -> value.asList()
        // Android has these classes from level 26 on. Their texts are those of ISO 8601.
        else -> if (value.javaClass.name.startsWith("java.time.")) value.toString() else value
    }

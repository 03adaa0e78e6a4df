package tech.sluice.core

import java.net.URI
import java.time.Duration
import java.time.Instant
import java.util.Date
import java.util.UUID
import java.util.concurrent.atomic.AtomicInteger
import org.junit.Assert.assertEquals
import org.junit.Assert.assertThrows
import org.junit.Test

class FreeFormTest {
    private enum class Plan { PRO }

    private val leftOut = ArrayList<String>()

    private fun copy(given: Map<*, *>): Map<String, Any?> = FreeForm("p", false, { it }, { path, _ -> leftOut += path }).copyMap(given)

    @Test
    fun `types of Kotlin and Java become types of JSON`() {
        val id = UUID.randomUUID()
        val given =
            mapOf(
                "date" to Date(0), "id" to id, "plan" to Plan.PRO, "sign" to 'x', "builder" to StringBuilder("b"), "count" to AtomicInteger(3),
                "set" to setOf(1), "array" to arrayOf("a", null), "ints" to intArrayOf(1, 2), "flags" to booleanArrayOf(true),
            )
        val text = """{"date":"1970-01-01T00:00:00.000Z","id":"$id","plan":"PRO","sign":"x","builder":"b","count":3.0,"set":[1],"array":["a",null],"ints":[1,2],"flags":[true]}"""
        assertEquals(text, formatJson(copy(given)))
        assertEquals(emptyList<String>(), leftOut)
    }

    @Test
    fun `addresses, sequences and times of java time become texts and lists`() {
        val given = mapOf("uri" to URI("https://a.test/b"), "list" to sequenceOf(1, 2), "time" to Instant.EPOCH, "wait" to Duration.ofSeconds(90))
        assertEquals("""{"uri":"https://a.test/b","list":[1,2],"time":"1970-01-01T00:00:00Z","wait":"PT1M30S"}""", formatJson(copy(given)))
        assertEquals(emptyList<String>(), leftOut)
    }

    @Test
    fun `a whole number that would be rounded is left out`() {
        assertEquals("""{"last":9007199254740992}""", formatJson(copy(mapOf("last" to 9_007_199_254_740_992, "next" to 9_007_199_254_740_993))))
        assertEquals(listOf("p.next"), leftOut)
    }

    @Test
    fun `values of other types are left out and named`() {
        assertEquals("""{"ok":1}""", formatJson(copy(mapOf("any" to Any(), "call" to { 1 }, "ok" to 1, "late" to Date(Long.MAX_VALUE)))))
        assertEquals(listOf("p.any", "p.call", "p.late"), leftOut)
    }

    @Test
    fun `a list of lists larger than a message is refused before all of it is copied`() {
        val loop = ArrayList<Any?>()
        repeat(30) { loop.add(loop) }
        val wide = List(256) { List(256) { List(256) { 1 } } }
        for (bomb in listOf(loop, wide)) {
            val error = assertThrows(RuleException::class.java) { copy(mapOf("a" to bomb)) }
            assertEquals("size breaks its rule", error.message)
        }
    }

    @Test
    fun `a map that contains itself ends at the deepest level`() {
        val loop = HashMap<String, Any?>()
        loop["a"] = loop
        loop["ok"] = 1
        copy(loop)
        assertEquals(listOf("p" + ".a".repeat(8)), leftOut)
    }
}

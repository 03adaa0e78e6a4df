package tech.sluice.file

import org.junit.Assert.assertEquals
import org.junit.Test
import org.junit.runner.RunWith
import org.junit.runners.Parameterized
import tech.sluice.core.parseJson
import tech.sluice.testing.contractFile

/** The golden files of sdks/contract/store.md. */
@RunWith(Parameterized::class)
class GoldenFilesTest(private val name: String, private val expected: Map<*, *>) {
    @Test
    fun `is read as every reader reads it`() {
        assertEquals(expected, membersOf(BatchFile.read(contractFile("store/$name").readBytes())))
    }

    private fun membersOf(file: BatchFile): Map<String, Any?> =
        when (file) {
            is BatchFile.Untouchable -> mapOf("is" to if (file.isNewer) "newer" else "foreign")
            is BatchFile.Empty -> mapOf("is" to "empty", "lost" to file.lost.toLong())
            is BatchFile.Whole ->
                mapOf(
                    "is" to "batch",
                    "header" to file.header,
                    "messages" to file.messages,
                    "later" to file.later,
                    "isSealed" to file.isSealed,
                    "tries" to file.tries,
                    "dividedAt" to file.dividedAt?.toLong(),
                    "isTorn" to file.isTorn,
                    "lost" to file.lost.toLong(),
                )
        }

    companion object {
        @JvmStatic
        @Parameterized.Parameters(name = "{0}")
        fun files(): List<Array<Any?>> =
            (parseJson(contractFile("store/expected.json").readText()) as Map<*, *>).map { (name, file) -> arrayOf<Any?>(name, file) }
    }
}

/** The writer makes the golden files byte for byte. */
class FramesTest {
    @Test
    fun `a file is written as every writer writes it`() {
        val golden = contractFile("store/sealed.batch").readBytes()
        val written = BatchFile.read(golden) as BatchFile.Whole
        val bytes =
            Frames.fileHead + Frames.frame(Frames.HEADER, written.header.mapKeys { it.key.toString() }) +
                written.messages.fold(ByteArray(0)) { all, text -> all + Frames.frame(Frames.MESSAGE, text) } +
                Frames.frame(Frames.SEAL, mapOf("count" to written.messages.size))
        assertEquals(golden.toList(), bytes.toList())
    }
}

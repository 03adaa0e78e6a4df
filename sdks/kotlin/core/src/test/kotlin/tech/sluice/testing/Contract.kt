package tech.sluice.testing

import java.io.File

/** A file or folder of sdks/contract. */
fun contractFile(path: String): File = File(System.getProperty("contract.directory"), path).also { check(it.exists()) { "$it is missing" } }

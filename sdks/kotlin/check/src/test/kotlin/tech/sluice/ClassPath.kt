package tech.sluice

import java.io.File
import java.nio.file.Path

/** Folder of the Android module. */
val androidModule = File(System.getProperty("android.directory"))

private val classPath = (System.getProperty("surefire.test.class.path") ?: System.getProperty("java.class.path")).split(File.pathSeparator)

/** A jar of the class path by its name without the version. */
fun jar(name: String): Path = Path.of(classPath.first { Regex("$name-[0-9].*").matches(File(it).name) })

fun classPathText(): String = classPath.joinToString(File.pathSeparator)

package tech.sluice

import java.io.File
import java.nio.file.Path

/** Folder of the Android module. */
val androidModule = File(System.getProperty("android.directory"))

private val classPath = (System.getProperty("surefire.test.class.path") ?: System.getProperty("java.class.path")).split(File.pathSeparator)

/** A jar of the class path by the beginning of its name. */
fun jar(name: String): Path = Path.of(classPath.first { File(it).name.startsWith(name) })

fun classPathText(): String = classPath.joinToString(File.pathSeparator)

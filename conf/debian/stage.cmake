# SPDX-License-Identifier: MIT
# Run by CPack when everything is installed below CPACK_TEMPORARY_DIRECTORY: what Debian's policy asks for on top.
set(share "${CPACK_TEMPORARY_DIRECTORY}${CPACK_INSTALL_PREFIX}/share")
set(doc "${share}/doc/connwatchd")

file(REMOVE "${doc}/LICENSE") # the copyright file has it
file(COPY "${CMAKE_CURRENT_LIST_DIR}/changelog" "${CMAKE_CURRENT_LIST_DIR}/copyright" DESTINATION "${doc}"
     FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
file(GLOB pages "${share}/man/man*/*")
execute_process(COMMAND gzip -9n "${doc}/changelog" ${pages} COMMAND_ERROR_IS_FATAL ANY)
